import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/database/connect.ts';
import { migrate, NewerDatabaseError, rollbackAll } from '../src/database/migrate.ts';
import { migrations } from '../src/database/migrations/index.ts';
import { createDatabase, databases } from './support/databases.ts';

const names = migrations.map(({ name }) => name);

it('lists every file of the folder, in order', async () => {
  const files = await readdir(join(import.meta.dirname, '../src/database/migrations'));
  expect(names).toEqual(files.filter((file) => file !== 'index.ts').map((file) => file.replace('.ts', '')));
});

describe.each(databases)('migrations on %s', (kind) => {
  it('run up, down and up again', async () => {
    await using database = await createDatabase(kind);
    const settings = { databaseUrl: database.url, dataDir: database.dataDir, poolSize: 2 };
    expect(await migrate(settings)).toEqual(names);
    expect(await migrate(settings)).toEqual([]);
    await rollbackAll(settings);
    expect(await migrate(settings)).toEqual(names);
  });

  it('refuse a database of a newer release', async () => {
    await using database = await createDatabase(kind);
    const settings = { databaseUrl: database.url, dataDir: database.dataDir, poolSize: 2 };
    await migrate(settings);
    const { write, close } = connect(settings);
    await write((db) => db('migrations').insert({ name: '999_future', batch: 9, migrationTime: new Date() }));
    await close();
    await expect(migrate(settings)).rejects.toThrow(NewerDatabaseError);
    await expect(migrate(settings)).rejects.toThrow('999_future');
  });

  it('continue after a process was killed midway', async () => {
    await using database = await createDatabase(kind);
    const settings = { databaseUrl: database.url, dataDir: database.dataDir, poolSize: 2 };
    await migrate(settings);
    const { write, close } = connect(settings);
    await write((db) => db('migrationsLock').update({ isLocked: 1 })); // The state that a killed process leaves behind.
    await close();
    expect(await migrate(settings)).toEqual([]);
  });
});

it('runs migrations once when two processes start at the same time on PostgreSQL', async () => {
  await using database = await createDatabase('postgres');
  const settings = { databaseUrl: database.url, dataDir: database.dataDir, poolSize: 2 };
  const applied = await Promise.all([migrate(settings), migrate(settings), migrate(settings)]);
  expect(applied.flat()).toEqual(names);
});
