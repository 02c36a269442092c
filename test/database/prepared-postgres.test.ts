import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { prepared } from '../../src/database/statements/prepared.ts';
import { createDatabase } from '../support/databases.ts';

const NOTES = 'select * from notes where id = ?';

/** Opens one connection with a table of one row and a prepared statement. */
async function openScratch({ isDirect = true } = {}) {
  const owned = await createDatabase('postgres');
  const database = connect({ databaseUrl: owned.url, dataDir: owned.dataDir, poolSize: 1, isDirect });
  await database.write((db) => db.raw('create table notes (id text primary key, text text)'));
  await database.write((db) => db.raw("insert into notes values ('a', 'first')"));
  expect(await prepared(database.reader, NOTES, ['a'])).toEqual([{ id: 'a', text: 'first' }]);
  return {
    database,
    statements: async () =>
      (await database.reader.raw('select name from pg_prepared_statements')) as unknown as object[],
    async [Symbol.asyncDispose]() {
      await database.close();
      await owned[Symbol.asyncDispose]();
    },
  };
}

describe('a prepared statement on PostgreSQL', () => {
  it('is kept by the connection', async () => {
    await using scratch = await openScratch();
    await prepared(scratch.database.reader, NOTES, ['a']);
    expect(await scratch.statements()).toHaveLength(1);
  });

  it('has no name behind a pooler, which may run it on another connection', async () => {
    await using scratch = await openScratch({ isDirect: false });
    expect(await scratch.database.transaction((db) => prepared(db, NOTES, ['a']))).toHaveLength(1);
    expect(await scratch.statements()).toEqual([]);
  });

  it('is prepared again if a newer release changed its table', async () => {
    await using scratch = await openScratch();
    await scratch.database.write((db) => db.raw('alter table notes add column author text'));
    expect(await prepared(scratch.database.reader, NOTES, ['a'])).toEqual([{ id: 'a', text: 'first', author: null }]);
  });

  it('makes the transaction run again if it is stale inside one', async () => {
    await using scratch = await openScratch();
    await scratch.database.write((db) => db.raw('alter table notes add column author text'));
    const attempts: unknown[] = [];
    const rows = await scratch.database.transaction(async (db) => {
      attempts.push(await db.raw("insert into notes values ('b', 'second', 'me')"));
      return prepared(db, NOTES, ['b']);
    });
    expect(rows).toEqual([{ id: 'b', text: 'second', author: 'me' }]);
    expect(attempts).toHaveLength(2);
  });
});
