import pg from 'pg';
import type { Config } from '../config/index.ts';
import type { Logger } from '../observe/logger.ts';
import { connect } from './connect.ts';
import type { Database } from './database.ts';
import { lockDataDir } from './drivers/process-lock.ts';
import { waitForDatabase } from './drivers/wait.ts';
import type { DatabaseMetrics } from './metrics.ts';
import { migrate } from './migrate.ts';
import { Notices } from './notices/notices.ts';
import { configurationTables } from './tables/index.ts';

export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databasePoolSize' | 'dataDir'>;

const WITHOUT_NOTICES =
  'Connected to PostgreSQL through a connection pooler, and DATABASE_DIRECT_URL is not set to a direct connection. Changes by other processes are found by polling, within 1 s (configuration: 5 s)';

/**
 * Returns true if the connection goes through a pooler such as PgBouncer: the process id that a pooler reports is not
 * that of the server process. Session state (LISTEN, prepared statements, settings) is then lost or shared with others.
 */
export async function isBehindPooler(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // The current query fails with the same error.
  try {
    await client.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return rows[0].pid !== (client as pg.Client & { processID: number }).processID;
  } finally {
    await client.end();
  }
}

/** Opens the database for a server: locks it on SQLite, joins other processes on PostgreSQL, and migrates it. */
export async function openDatabase(
  { databaseUrl, databaseDirectUrl, dataDir, databasePoolSize: poolSize }: DatabaseConfig,
  logger: Logger,
  closing: { add(step: () => unknown): void },
  { metrics }: { metrics: DatabaseMetrics | undefined },
): Promise<Database> {
  if (!databaseUrl) closing.add(await lockDataDir(dataDir));
  const directUrl = databaseDirectUrl ?? databaseUrl;
  const applied = await waitForDatabase(() => migrate({ databaseUrl: directUrl, dataDir, poolSize }), logger);
  if (applied.length > 0) logger.info({ migrations: applied }, 'Applied database migrations');
  const isPooled = databaseUrl !== undefined && (await waitForDatabase(() => isBehindPooler(databaseUrl), logger));

  const settings = { databaseUrl, dataDir, poolSize, isDirect: !isPooled };
  const opened = connect(settings, { onCommit: metrics?.onCommit });
  closing.add(() => opened.close());
  const database = metrics?.measured(opened) ?? opened;
  if (directUrl === undefined) return database;
  if (directUrl === databaseUrl ? isPooled : await isBehindPooler(directUrl)) {
    logger.warn(WITHOUT_NOTICES);
    return database;
  }
  const tables = [...configurationTables, 'tenants', 'revokedTokens', 'hooks', 'deliveries', 'replays'] as const;
  const notices = new Notices({ databaseUrl: directUrl, commits: database.commits, tables, logger });
  closing.add(() => notices.stop());
  await notices.start();
  return database;
}
