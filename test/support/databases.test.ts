import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { createDatabase, createMigrated, databases } from './databases.ts';

describe.each(databases)('a test database on %s', (kind) => {
  it('is empty, separate, and removed when disposed', async () => {
    await using first = await createDatabase(kind);
    await using second = await createDatabase(kind);
    expect(first.dataDir).not.toBe(second.dataDir);
    expect(existsSync(first.dataDir)).toBe(true);
    await second[Symbol.asyncDispose]();
    expect(existsSync(second.dataDir)).toBe(false);
  });

  it('can have the current schema from the start', async () => {
    await using database = await createMigrated(kind);
    expect(await migrate({ databaseUrl: database.url, dataDir: database.dataDir, poolSize: 2 })).toEqual([]);
  });
});

it('is a real PostgreSQL', async () => {
  await using database = await createDatabase('postgres');
  const client = new Client(database.url);
  await client.connect();
  const { rows } = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS major");
  await client.end();
  expect(rows[0].major).toBeGreaterThanOrEqual(15);
});
