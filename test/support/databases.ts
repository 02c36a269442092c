import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';

/** `describe.each(databases)('… on %s', (kind) => …)` */
export const databases = ['sqlite', 'postgres'] as const;
export type DatabaseKind = (typeof databases)[number];

export type Database = AsyncDisposable & {
  /** The `DATABASE_URL`; undefined for SQLite, whose file is in `dataDir`. */
  url: string | undefined;
  /** The `DATA_DIR`: an empty folder of its own. */
  dataDir: string;
};

/** Creates an empty database for one test. Disposing it also ends its remaining connections. */
export function createDatabase(kind: DatabaseKind, server = inject('postgresUrl')): Promise<Database> {
  return create(kind, server);
}

/** Creates a database with the current schema, as a copy of the one that the setup has migrated. */
export async function createMigrated(kind: DatabaseKind): Promise<Database> {
  const { folder, name } = inject('migrated');
  const database = await create(kind, inject('postgresUrl'), name);
  if (kind === 'sqlite') await cp(folder, database.dataDir, { recursive: true });
  return database;
}

async function create(kind: DatabaseKind, server: string, template?: string): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-data-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  if (kind === 'sqlite') return { url: undefined, dataDir, [Symbol.asyncDispose]: removeData };

  const name = `understudy_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} ${template ? `TEMPLATE ${template}` : ''}`);
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    dataDir,
    async [Symbol.asyncDispose]() {
      await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await removeData();
    },
  };
}

export async function execute(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
