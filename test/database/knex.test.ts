import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { acquire, knexOn, poolOf, release } from '../../src/database/drivers/knex-connections.ts';
import { createDatabase, type DatabaseKind, databases, type Database as TestDatabase } from '../support/databases.ts';

// A release of Knex may change what these tests rely on: see `knex-connections.ts` and `sqlite-statements.ts`.

let owned: TestDatabase;
let database: Database;

async function open(kind: DatabaseKind): Promise<void> {
  owned = await createDatabase(kind);
  database = connect({ databaseUrl: owned.url, dataDir: owned.dataDir, poolSize: 1, isDirect: true });
  await database.write((db) => db.raw('create table notes (id integer primary key, some_text text)'));
}
afterEach(async () => {
  await database.close();
  await owned[Symbol.asyncDispose]();
});

it('Knex runs its statements on SQLite by the two methods that keep them prepared', async () => {
  await open('sqlite');
  const prepare = vi.spyOn(sqlite3.Database.prototype, 'prepare');
  for (const id of [1, 2]) {
    await database.write((db) => db('notes').insert({ id, someText: 'a' }));
    expect(await database.write((db) => db('notes').where({ id }).update({ someText: 'b' }))).toBe(1);
    expect(await database.write((db) => db('notes').where({ id }).first('someText'))).toEqual({ someText: 'b' });
    expect(await database.write((db) => db('notes').where({ id }).delete())).toBe(1);
    expect(await database.write((db) => db.raw('select * from notes'))).toEqual([]);
  }
  expect(prepare).toHaveBeenCalledTimes(5);
  prepare.mockRestore();
});

describe('a Knex instance for one connection of a PostgreSQL pool', () => {
  let pool: Database['reader'];
  let connection: object;
  beforeEach(async () => {
    await open('postgres');
    pool = database.reader;
    connection = await acquire(pool);
  });
  afterEach(() => release(pool, connection, { isBroken: false })); // Otherwise a failed test waits for it.
  const pidOn = async (db: Database['reader']) => (await db.raw('select pg_backend_pid() as pid'))[0].pid;

  it('uses that connection only, with the configuration of the pool', async () => {
    const db = knexOn(connection, pool); // The pool has no other connection, so a second one would time out.
    await db.raw('begin');
    await db('notes').insert({ id: 1, someText: 'a' });
    expect(await db('notes').select()).toEqual([{ id: 1, someText: 'a' }]);
    await db.raw('rollback');
    expect(await db('notes').select()).toEqual([]);
    release(pool, connection, { isBroken: false });
    expect(await pidOn(pool)).toBe(await pidOn(db));
  });

  it('reports its statements and failures to the listeners of the pool', async () => {
    const heard: string[] = [];
    for (const event of ['query', 'query-response', 'query-error']) pool.on(event, () => heard.push(event));
    const db = knexOn(connection, pool);
    await db.raw('select 1');
    await expect(db.raw('select nothing')).rejects.toThrow();
    expect(heard).toEqual(['query', 'query-response', 'query', 'query-error']);
  });

  it('is not used again after its connection was released as broken', async () => {
    const pid = await pidOn(knexOn(connection, pool));
    release(pool, connection, { isBroken: true });
    expect(await pidOn(pool)).not.toBe(pid);
  });
});

it.each(databases)('the pool of Knex has figures and events on %s', async (kind) => {
  await open(kind);
  const pool = poolOf(database.reader);
  const heard: unknown[] = [];
  pool.on('acquireRequest', (id) => heard.push(id));
  pool.on('acquireSuccess', (id) => heard.push(id));
  const connection = await acquire(database.reader);
  expect(heard).toEqual([expect.any(Number), heard[0]]);
  expect([pool.numUsed(), pool.numPendingAcquires()]).toEqual([1, 0]);
  release(database.reader, connection, { isBroken: false });
  expect([pool.numUsed(), pool.numFree()]).toEqual([0, 1]);
});
