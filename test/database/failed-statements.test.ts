import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { createMigrated, databases } from '../support/databases.ts';

/** A confidential value in a statement, such as a password hash. */
const VALUE = 'argon2id-7f3c9d';

describe.each(databases)('a statement that fails on %s', (kind) => {
  it('does not log its values', async () => {
    await using owned = await createMigrated(kind);
    const settings = { databaseUrl: owned.url, dataDir: owned.dataDir, poolSize: 1 };
    const database = connect(settings);
    const lines: string[] = [];
    const logger = createLogger('error', { write: (line: string) => void lines.push(line) });
    await database.write((db) => db('serviceSettings').insert({ key: VALUE, value: '0' }));
    const failures = [
      () => database.write((db) => db('serviceSettings').insert({ key: VALUE, value: '0' })),
      () => database.write((db) => db('serviceSettings').insert({ key: VALUE, value: null })),
      () => database.transaction((db) => db('tenants').where({ id: VALUE }).update({ noSuchColumn: VALUE })),
      () => database.reader('noSuchTable').where({ id: VALUE }),
    ];
    for (const fail of failures) {
      const error = await fail().then(
        () => undefined,
        (error: Error) => error,
      );
      expect(error?.message).toMatch(/service_settings|no_such/);
      logger.error({ err: error }, 'Statement failed');
    }
    const logged = lines.join('');
    expect(logged).toContain('no_such_table');
    expect(logged).not.toContain(VALUE);
    await database.close();
  });
});
