import { expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { createMigrated } from '../support/databases.ts';

it('folds case in the search indexes on SQLite as searches do', async () => {
  await using place = await createMigrated('sqlite');
  const settings = { databaseUrl: undefined, dataDir: place.dataDir, poolSize: 1 };
  const database = connect(settings);
  const folded = `select sql from sqlite_master where name like 'users_folded_%'`;
  const indexes: { sql: string }[] = await database.reader.raw(folded);
  await database.close();
  expect(indexes).toHaveLength(4);
  for (const { sql } of indexes) expect(sql).toContain('collate nocase');
});
