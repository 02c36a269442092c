import type { Knex } from 'knex';
import PostgresClient from 'knex/lib/dialects/postgres/index.js';

/** Of a statement, of a wait for a lock, and of a transaction that nobody goes on with. */
const TIMEOUTS = { statement_timeout: 20_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 20_000 };

/** A connection on which nothing has moved for longer than a statement may take has lost its other end: in a failover. */
const SILENCE_MS = 25_000;

/** What fails is told to whoever asked for it; Knex would write it to the console besides. */
const log = { warn() {}, error() {}, deprecate() {}, debug() {} };

interface Connection {
  connection: { stream: { setTimeout(ms: number, done: () => void): void; destroy(error: Error): void } };
}

/** For a pooler, which may give each transaction another connection: no statement is prepared under a name. */
class UnpreparedPostgresClient extends PostgresClient {
  override _query(connection: object, query: { options?: { name?: string } }): Promise<object> {
    const { name: _, ...options } = query.options ?? {};
    return super._query(connection, Object.assign(query, { options }));
  }
}

function afterCreate({ connection: { stream } }: Connection, done: () => void): void {
  stream.setTimeout(SILENCE_MS, () => stream.destroy(new Error('Connection terminated: PostgreSQL is silent')));
  done();
}

/** The message of a failed statement shows its placeholders: its values may be secrets, and the log keeps messages. */
export const WITHOUT_VALUES = { compileSqlOnError: false };

/** For migrations, which take as long as they take. */
export const migratorConfig = (databaseUrl: string): Knex.Config => ({
  ...WITHOUT_VALUES,
  client: 'pg',
  connection: { connectionString: databaseUrl, application_name: 'understudy', connectionTimeoutMillis: 5_000 },
  pool: { min: 0, max: 2 },
  acquireConnectionTimeout: 10_000,
  log,
});

export interface PoolOptions {
  size: number;
  /** Sessions are our own, and can have settings and prepared statements. */
  isDirect: boolean;
  /** Settings of the planner, which nothing relies on. */
  session: Record<string, string>;
}

export function poolConfig(databaseUrl: string, { size, isDirect, session }: PoolOptions): Knex.Config {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`);
  return {
    ...WITHOUT_VALUES,
    client: isDirect ? 'pg' : (UnpreparedPostgresClient as unknown as typeof Knex.Client),
    connection: {
      connectionString: databaseUrl,
      application_name: 'understudy',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      ...(isDirect && { ...TIMEOUTS, options: options.join(' ') }),
    },
    pool: { min: 0, max: size, afterCreate },
    acquireConnectionTimeout: 10_000,
    log,
  };
}
