import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { createMigrated, type Database as TestDatabase } from '../support/databases.ts';

let files: TestDatabase;
let database: Database;
/** Number of transactions in each commit. */
let commits: number[];

beforeEach(async () => {
  files = await createMigrated('sqlite');
  const settings = { databaseUrl: undefined, dataDir: files.dataDir, poolSize: 2 };
  commits = [];
  database = connect(settings, { onCommit: (transactions) => commits.push(transactions) });
  await database.write((db) => db.raw('create table notes (id integer primary key, text text not null)'));
  commits.length = 0;
});
afterEach(async () => {
  await database.close();
  await files[Symbol.asyncDispose]();
});

const write = (id: number, text: string | null = 'x') =>
  database.write((db) => db.raw('insert into notes (id, text) values (?, ?)', [id, text as string]));
const ids = async () =>
  ((await database.reader('notes').orderBy('id').select('id')) as { id: number }[]).map(({ id }) => id);
const outcomes = async (works: Promise<unknown>[]) => (await Promise.allSettled(works)).map(({ status }) => status);

it('commits waiting transactions together, and rolls back only those that fail', async () => {
  const first = write(1); // The others wait for it.
  const failing = database.transaction(async (db) => {
    await db('notes').insert({ id: 10, text: 'x' });
    throw new Error('changed my mind');
  });
  const whole = database.transaction(async (db) => {
    await db('notes').insert({ id: 20, text: 'x' });
    await db('notes').insert({ id: 21, text: 'x' });
  });
  expect(await outcomes([first, write(2), write(2), write(3, null), failing, whole, write(4)])).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await ids()).toEqual([1, 2, 4, 20, 21]);
  expect(commits).toEqual([1, 6]);
});

it('fails the whole group if the database rolls back its transaction, and writes none of it', async () => {
  const first = write(1);
  const undone = database.write((db) => db.raw("insert or rollback into notes (id, text) values (1, 'x')"));
  expect(await outcomes([first, write(2), undone, write(3)])).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ]);
  expect(await ids()).toEqual([1]);
  await write(5);
  expect(await ids()).toEqual([1, 5]);
});

it('continues after its listener failed', async () => {
  commits.push = () => {
    throw new Error('the listener failed');
  };
  await write(1);
  await database.transaction((db) => db.raw("insert into notes (id, text) values (2, 'x')"));
  await write(3);
  expect(await ids()).toEqual([1, 2, 3]);
});
