import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
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
export async function createDatabase(kind: DatabaseKind, server = inject('postgresUrl')): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-data-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  if (kind === 'sqlite') return { url: undefined, dataDir, [Symbol.asyncDispose]: removeData };

  const name = `understudy_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name}`);
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
