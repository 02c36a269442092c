import { expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { createMigrated } from '../support/databases.ts';

it('fails only the statement that SQLite cannot prepare, and can run it again later', async () => {
  await using place = await createMigrated('sqlite');
  const settings = { databaseUrl: undefined, dataDir: place.dataDir, poolSize: 2 };
  const { write, close } = connect(settings);
  const read = () => write(async (db) => db.raw('select 1 as one from later'));
  await expect(read()).rejects.toThrow('no such table: later');
  await expect(read()).rejects.toThrow('no such table: later');
  await write((db) => db.raw('create table later as select 1'));
  expect(await read()).toEqual([{ one: 1 }]);
  await close();
});
