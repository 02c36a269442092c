import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('a Management API call on %s', (kind) => {
  it('with a valid token is not refused as unauthorized while the database cannot tell if it was revoked', async () => {
    await using service = await startService(kind);
    const { api, databaseUrl, dataDir } = service;
    await api.token();
    const database = connect({ databaseUrl, dataDir, poolSize: 1 });
    await database.write((db) => db.raw('alter table revoked_tokens rename to unreadable'));
    expect(await api.call('GET /roles')).toMatchObject({ status: 500, body: { code: 'internal' } });
    await database.write((db) => db.raw('alter table unreadable rename to revoked_tokens'));
    expect(await api.call('GET /roles')).toMatchObject({ status: 200 });
    await database.close();
  });
});
