import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';

/** Creates a database with one empty table. */
async function openScratch() {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-prepared-'));
  const database = connect({ databaseUrl: undefined, dataDir, poolSize: 1 });
  await database.write((db) => db.raw('create table notes (id text primary key, text text)'));
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

describe('cached prepared statements on SQLite', () => {
  it('return current results, even after one has failed', async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    const add = (id: string, text: string) =>
      database.write((db) => db.raw('insert into notes values (?, ?)', [id, text]));
    const read = (id: string) => database.reader.raw('select text from notes where id = ?', [id]);

    await add('a', 'first');
    await expect(add('a', 'again')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
    await add('b', 'second');
    expect(await read('a')).toEqual([{ text: 'first' }]);
    expect(await read('b')).toEqual([{ text: 'second' }]);
    expect(await read('c')).toEqual([]);
  });

  it('adapt to schema changes', async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    const all = () => database.write((db) => db.raw('select * from notes'));
    await database.write((db) => db.raw('insert into notes values (?, ?)', ['a', 'first']));
    expect(await all()).toEqual([{ id: 'a', text: 'first' }]);
    await database.write((db) => db.raw('alter table notes add column author text'));
    expect(await all()).toEqual([{ id: 'a', text: 'first', author: null }]);
    await database.write((db) => db.raw('drop table notes'));
    await expect(all()).rejects.toThrow('no such table');
  });

  it('are finalized when there are too many, and when the connection closes', async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    // More statements than the cache keeps, several at a time on each connection.
    const texts = Array.from({ length: 600 }, (_, index) => `select ${index} as number from (select 1)`);
    const answers = await Promise.all(texts.map((text) => database.reader.raw(text)));
    expect(answers.map(([row]) => row.number)).toEqual(texts.map((_, index) => index));
  });
});
