import type { Knex } from 'knex';
import { isUsable } from './knex-connections.ts';

/** Limits in milliseconds for a statement, for waiting on a lock, and for an abandoned transaction. */
const TIMEOUTS = { statement_timeout: 20_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 20_000 };

/** A connection without traffic for longer than a statement may take is dead, for example after a failover. */
const SILENCE_MS = 25_000;

/** Errors are returned to the caller. Without this, Knex would also write them to the console. */
const log = { warn() {}, error() {}, deprecate() {}, debug() {} };

interface PostgresConnection {
  connection: { stream: { setTimeout(ms: number, done: () => void): void; destroy(error: Error): void } };
}

function afterCreate({ connection: { stream } }: PostgresConnection, done: () => void): void {
  stream.setTimeout(SILENCE_MS, () => stream.destroy(new Error('Connection terminated: no response from PostgreSQL')));
  done();
}

/** Keeps values out of the error messages of failed statements: values may be secrets, and messages are logged. */
export const WITHOUT_VALUES = { compileSqlOnError: false };

const connectionTo = (databaseUrl: string) =>
  ({ connectionString: databaseUrl, application_name: 'understudy', connectionTimeoutMillis: 5_000 }) as const;
const COMMON = { ...WITHOUT_VALUES, acquireConnectionTimeout: 10_000, log };

/** For `prepared`. Behind a pooler statements have no names, because each transaction may get another connection. */
const NAMED_STATEMENTS = { userParams: { namesStatements: true } };

/** Configuration for migrations, which have no time limit. */
export const migratorConfig = (databaseUrl: string): Knex.Config => ({
  ...COMMON,
  client: 'pg',
  connection: connectionTo(databaseUrl),
  pool: { min: 0, max: 2 },
});

export interface PoolOptions {
  size: number;
  /** True if there is no pooler, so sessions can have settings and prepared statements. */
  isDirect: boolean;
  /** Planner settings. They only affect speed. */
  session: Record<string, string>;
}

export function poolConfig(databaseUrl: string, { size, isDirect, session }: PoolOptions): Knex.Config {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`);
  return {
    ...COMMON,
    ...(isDirect && NAMED_STATEMENTS),
    client: 'pg',
    connection: {
      ...connectionTo(databaseUrl),
      keepAlive: true,
      ...(isDirect && { ...TIMEOUTS, options: options.join(' ') }),
    },
    pool: { min: 0, max: size, afterCreate, validate: isUsable },
  };
}
