import { describe, expect, it } from 'vitest';
import { AuditBatch } from '../../src/audit/batch.ts';
import { connect } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import { Tenants } from '../../src/tenants.ts';
import { createDatabase, databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';

describe.each(databases)('the batch of audit entries on %s', (kind) => {
  it('writes all but those that the database does not take', async () => {
    await using place = await createDatabase(kind);
    const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 2 };
    await migrate(settings);
    const database = connect(settings);
    await addTenant(database, 'acme');
    const faults: unknown[] = [];
    const tenants = new Tenants(database, Date.now);
    const batch = new AuditBatch({ tenants, onError: (error) => faults.push(error) });

    const entry = { key: 'ExchangeTokenBy.ClientCredentials', result: 'Success', payload: {}, createdAt: 1 } as const;
    batch.add('acme', entry);
    batch.add('acme', { ...entry, key: null as never });
    batch.add('acme', entry);
    await batch.flush();

    expect(faults).toMatchObject([{ code: 'entity.db_constraint_violated' }]);
    const store = (await tenants.byId('acme'))?.store;
    expect(await store?.from('auditLog').select('key')).toHaveLength(2);
    expect(batch.isBehind).toBe(false);
    await database.close();
  });
});
