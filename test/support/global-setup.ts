import { basename } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/database/migrate.ts';
import { browserPath } from './chromium.ts';
import { childEnvironment, fillCompileCache } from './compile-cache.ts';
import { createDatabase } from './databases.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which every test creates its own database. */
    postgresUrl: string;
    /** Databases with the current schema, of which tests make copies: SQLite's folder, and the name on PostgreSQL. */
    migrated: { folder: string; name: string };
  }
}

const parts: AsyncDisposable[] = [];

/**
 * Starts one PostgreSQL for the whole run, or uses the one of `TEST_DATABASE_URL`, whose user must be allowed to create
 * databases. Migrates one database of each kind.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  await browserPath(); // Unpacked once here: two workers that unpack at the same time would run an incomplete binary.
  await fillCompileCache();
  process.env.NODE_COMPILE_CACHE = childEnvironment.NODE_COMPILE_CACHE; // Workers inherit it.
  let postgresUrl = process.env.TEST_DATABASE_URL;
  if (!postgresUrl) {
    const postgres = await startPostgres();
    parts.push(postgres);
    postgresUrl = postgres.url;
  }
  const sqlite = await createDatabase('sqlite', postgresUrl);
  const postgres = await createDatabase('postgres', postgresUrl);
  parts.push(sqlite, postgres);
  for (const { url, dataDir } of [sqlite, postgres]) await migrate({ databaseUrl: url, dataDir, poolSize: 2 });
  provide('postgresUrl', postgresUrl);
  provide('migrated', { folder: sqlite.dataDir, name: basename(postgres.url ?? '') });
}

export async function teardown(): Promise<void> {
  for (const part of parts.toReversed()) await part[Symbol.asyncDispose]();
}
