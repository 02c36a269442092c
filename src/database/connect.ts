import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Database } from './database.ts';
import { camelCase, snakeCase } from './drivers/names.ts';
import { migratorConfig, poolConfig, WITHOUT_VALUES } from './drivers/postgres-config.ts';
import { againWhenUndone } from './drivers/retry.ts';
import { PreparedSqliteClient } from './drivers/sqlite-client.ts';
import { markFailures } from './drivers/unavailable.ts';
import { Commits } from './notices/commits.ts';
import { Figures } from './statistics/figures.ts';
import { CommitGroup } from './store/commit-group.ts';
import { ReadBatches } from './store/read-batches.ts';
import { Transactions } from './store/transactions.ts';
import { booleanColumns, jsonColumns } from './tables/index.ts';

// Times and counts are bigint columns; all of them fit a double exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface DatabaseSettings {
  /** `postgres://…`; without it SQLite at `dataDir/understudy.db`. */
  databaseUrl: string | undefined;
  dataDir: string;
  /** Connections to PostgreSQL. */
  poolSize: number;
  /** No pooler stands between (`pooler.ts`). Unless it is known, nothing is asked of sessions. */
  isDirect?: boolean;
}

type RawRow = Record<string, unknown>;

function camelRow(row: unknown): unknown {
  if (row === null || typeof row !== 'object') return row;
  const converted: RawRow = {};
  for (const [name, value] of Object.entries(row)) converted[camelCase(name)] = value;
  return converted;
}

/** SQLite knows neither booleans nor JSON: it gives back 0/1 and text. */
function sqliteRow(row: unknown): unknown {
  if (row === null || typeof row !== 'object') return row;
  const converted: RawRow = {};
  for (const [name, value] of Object.entries(row)) {
    const column = camelCase(name);
    if (value !== null && jsonColumns.has(column)) converted[column] = JSON.parse(value as string);
    else if (value !== null && booleanColumns.has(column)) converted[column] = value === 1;
    else converted[column] = value;
  }
  return converted;
}

function conversions(convert: (row: unknown) => unknown): Pick<Knex.Config, 'wrapIdentifier' | 'postProcessResponse'> {
  return {
    wrapIdentifier: (name, wrap) => wrap(snakeCase(name)),
    postProcessResponse: (result) => {
      if (Array.isArray(result)) return result.map(convert);
      if (Array.isArray(result?.rows)) return result.rows.map(convert); // PostgreSQL's answer to `raw`.
      return convert(result);
    },
  };
}

/**
 * Keys are random, so a busy minute touches pages all over the file: they stay in memory (KiB), and are copied from the
 * log to their places less often (pages of 4 KiB), each then once for many changes. Neither has to do with durability.
 */
const WRITER = 'pragma cache_size = -65536; pragma wal_autocheckpoint = 8000;';

const PRAGMAS =
  'pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma busy_timeout = 5000;';

function sqliteConfig(dataDir: string, { pool, setup }: { pool: number; setup: string }): Knex.Config {
  return {
    ...WITHOUT_VALUES,
    client: PreparedSqliteClient as unknown as typeof Knex.Client,
    connection: { filename: join(dataDir, 'understudy.db') },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: pool,
      afterCreate: (
        connection: { exec(sql: string, done: (error?: Error) => void): void },
        done: (error?: Error) => void,
      ) => connection.exec(PRAGMAS + setup, done),
    },
    ...conversions(sqliteRow),
  };
}

/** Connections of this kind, beside the pool: one takes work while the other records it. */
const BY_KEY_CONNECTIONS = 2;
const BY_KEY = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' };

/** The settings of the one connection that writes (SQLite), or of migrations (PostgreSQL). */
export function knexConfig({ databaseUrl, dataDir }: Pick<DatabaseSettings, 'databaseUrl' | 'dataDir'>): Knex.Config {
  return databaseUrl ? migratorConfig(databaseUrl) : sqliteConfig(dataDir, { pool: 1, setup: WRITER });
}

const waitingFor = (db: Knex): number => db.client.pool.numPendingAcquires();

export interface ConnectOptions {
  /** Called after each SQLite commit with the number of transactions that shared it. */
  onCommit?: ((transactions: number) => void) | undefined;
  /** SQL that creates temporary views and triggers on SQLite's writing connection. Features that write through one supply it. */
  sqliteViews?: string;
}

/** Connects lazily: the first query opens the first connection. `dataDir` must exist; `migrate` creates it. */
export function connect(settings: DatabaseSettings, { onCommit, sqliteViews = '' }: ConnectOptions = {}): Database {
  const { databaseUrl, poolSize, isDirect = false } = settings;
  if (databaseUrl) {
    const open = (size: number, session: Record<string, string>) =>
      markFailures(knex({ ...poolConfig(databaseUrl, { size, isDirect, session }), ...conversions(camelRow) }));
    const pool = open(poolSize, {});
    const keyed = open(BY_KEY_CONNECTIONS, BY_KEY);
    const transactions = new Transactions(pool);
    return {
      kind: 'postgres',
      reader: pool,
      reads: new ReadBatches(pool, 'postgres'),
      write: (work) => againWhenUndone(() => work(pool)),
      byKey: (work) => againWhenUndone(() => work(keyed)),
      transaction: (work) => againWhenUndone(() => transactions.run(work)),
      commits: new Commits(),
      pools: [pool, keyed],
      waiting: () => waitingFor(pool) + waitingFor(keyed),
      figures: new Figures(),
      async close() {
        await Promise.all([pool.destroy(), keyed.destroy()]);
      },
    };
  }

  const writer = markFailures(knex(sqliteConfig(settings.dataDir, { pool: 1, setup: WRITER + sqliteViews })));
  const reader = markFailures(knex(sqliteConfig(settings.dataDir, { pool: 3, setup: 'pragma query_only = ON;' })));
  const group = new CommitGroup(writer, onCommit);
  return {
    kind: 'sqlite',
    reader,
    reads: new ReadBatches(reader, 'sqlite'),
    write: (work) => group.run(work, true),
    byKey: (work) => group.run(work, true),
    transaction: (work) => group.run(work),
    commits: new Commits(),
    pools: [writer, reader],
    waiting: () => group.waiting + waitingFor(reader),
    figures: new Figures(),
    async close() {
      await Promise.all([reader.destroy(), writer.destroy()]);
    },
  };
}
