import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type sqlite3 from 'sqlite3';
import type { Database } from './database.ts';
import { poolOf } from './drivers/knex-connections.ts';
import { camelCase, snakeCase } from './drivers/names.ts';
import { migratorConfig, poolConfig, WITHOUT_VALUES } from './drivers/postgres-config.ts';
import { keepStatements } from './drivers/sqlite-statements.ts';
import { markFailures } from './drivers/unavailable.ts';
import { Commits } from './notices/commits.ts';
import { isStaleStatement } from './statements/prepared.ts';
import { Figures } from './statistics/figures.ts';
import { CommitGroup } from './store/commit-group.ts';
import { ReadBatches } from './store/read-batches.ts';
import { runTransaction } from './store/transactions.ts';
import { UnitBatches } from './store/unit-batches.ts';
import { booleanColumns, jsonColumns } from './tables/index.ts';

// Times and counts are bigint columns. All values fit a double exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface DatabaseSettings {
  /** `postgres://…`. If undefined, SQLite at `dataDir/understudy.db`. */
  databaseUrl: string | undefined;
  dataDir: string;
  /** Connections to PostgreSQL. */
  poolSize: number;
  /** True if there is no pooler (see `open.ts`). By default no session features are used. */
  isDirect?: boolean;
}

type RawRow = Record<string, unknown>;

function camelRow(row: unknown): unknown {
  if (row === null || typeof row !== 'object') return row;
  const converted: RawRow = {};
  for (const [name, value] of Object.entries(row)) converted[camelCase(name)] = value;
  return converted;
}

/** Converts a row of SQLite, which returns booleans as 0/1 and JSON as text. */
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

/** Opens a pool whose names are in camelCase and whose rows are converted. */
function open(config: Knex.Config, convert: (row: unknown) => unknown): Knex {
  const db = knex({
    ...config,
    wrapIdentifier: (name, wrap) => wrap(snakeCase(name)),
    postProcessResponse: (result) => {
      if (Array.isArray(result)) return result.map(convert);
      if (Array.isArray(result?.rows)) return result.rows.map(convert); // PostgreSQL's result of `raw`.
      return convert(result);
    },
  });
  return markFailures(db);
}

/**
 * Ids are random, so writes touch pages all over the file. A cache of 64 MiB keeps them in memory, and a checkpoint
 * only every 8,000 pages (of 4 KiB) copies each page once for many changes. Neither affects durability.
 */
const WRITER = 'pragma cache_size = -65536; pragma wal_autocheckpoint = 8000;';

const PRAGMAS =
  'pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma busy_timeout = 5000;';

function sqliteConfig(dataDir: string, { pool, setup }: { pool: number; setup: string }): Knex.Config {
  return {
    ...WITHOUT_VALUES,
    client: 'sqlite3',
    connection: { filename: join(dataDir, 'understudy.db') },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: pool,
      afterCreate(connection: sqlite3.Database, done: (error: Error | null) => void) {
        keepStatements(connection);
        connection.exec(PRAGMAS + setup, done);
      },
    },
  };
}

/** Additional connections for `byKey`: one claims deliveries, one settles them, the others write units of work. */
const BY_KEY_CONNECTIONS = 4;
const BY_KEY = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' };

/** Knex configuration of migrations. Names and rows are not converted, because Knex's migrator reads its own tables. */
export function knexConfig({ databaseUrl, dataDir }: Pick<DatabaseSettings, 'databaseUrl' | 'dataDir'>): Knex.Config {
  return databaseUrl ? migratorConfig(databaseUrl) : sqliteConfig(dataDir, { pool: 1, setup: WRITER });
}

/** SQLSTATE of a deadlock and of a serialization failure: PostgreSQL rolled back one transaction for another. */
const UNDONE = new Set(['40P01', '40001']);
const MAX_RUNS = 4;

/** Runs `work` again if the database rolled it back because of another transaction or a stale prepared statement. */
async function retryIfUndone<T>(work: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run += 1) {
    try {
      return await work();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const isUndone = UNDONE.has(code) || isStaleStatement(error as object);
      if (run === MAX_RUNS || !isUndone) throw error;
    }
  }
}

const waitingFor = (db: Knex): number => poolOf(db).numPendingAcquires();

export interface ConnectOptions {
  /** Called after each SQLite commit with the number of transactions that shared it. */
  onCommit?: ((transactions: number) => void) | undefined;
}

/** Connects lazily: the first query opens the first connection. `dataDir` must exist; `migrate` creates it. */
export function connect(settings: DatabaseSettings, { onCommit }: ConnectOptions = {}): Database {
  const { databaseUrl, poolSize, isDirect = false } = settings;
  if (databaseUrl) {
    const pool = open(poolConfig(databaseUrl, { size: poolSize, isDirect, session: {} }), camelRow);
    const keyed = open(poolConfig(databaseUrl, { size: BY_KEY_CONNECTIONS, isDirect, session: BY_KEY }), camelRow);
    const byKey: Database['byKey'] = (work) => retryIfUndone(() => work(keyed));
    return {
      kind: 'postgres',
      reader: pool,
      reads: new ReadBatches(pool, 'postgres'),
      units: new UnitBatches('postgres', byKey),
      write: (work) => retryIfUndone(() => work(pool)),
      byKey,
      transaction: (work) => retryIfUndone(() => runTransaction(pool, work)),
      commits: new Commits(),
      pools: [pool, keyed],
      waiting: () => waitingFor(pool) + waitingFor(keyed),
      figures: new Figures(),
      async close() {
        await Promise.all([pool.destroy(), keyed.destroy()]);
      },
    };
  }

  const writer = open(sqliteConfig(settings.dataDir, { pool: 1, setup: WRITER }), sqliteRow);
  const reader = open(sqliteConfig(settings.dataDir, { pool: 3, setup: 'pragma query_only = ON;' }), sqliteRow);
  const group = new CommitGroup(writer, onCommit);
  const write: Database['write'] = (work) => group.run(work, true);
  return {
    kind: 'sqlite',
    reader,
    reads: new ReadBatches(reader, 'sqlite'),
    units: new UnitBatches('sqlite', write),
    write,
    byKey: write,
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
