import { describe, expect, it } from 'vitest';
import { AuditBatch } from '../../src/audit/batch.ts';
import { connect } from '../../src/database/connect.ts';
import { Tenants } from '../../src/tenants.ts';
import { createMigrated, databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';

describe.each(databases)('the audit batch on %s', (kind) => {
  it('writes all entries except those that the database refuses', async () => {
    await using place = await createMigrated(kind);
    const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 2 };
    const database = connect(settings);
    await addTenant(database, 'acme');
    await addTenant(database, 'other');
    const faults: unknown[] = [];
    const tenants = new Tenants(database, Date.now);
    const batch = new AuditBatch({ database, onError: (error) => faults.push(error) });

    const entry = { key: 'ExchangeTokenBy.ClientCredentials', result: 'Success', payload: {}, createdAt: 1 } as const;
    batch.add({ tenantId: 'acme', entry });
    batch.add({ tenantId: 'acme', entry: { ...entry, key: null as never } });
    batch.add({ tenantId: 'gone', entry });
    batch.add({ tenantId: 'other', entry });
    const announced: string[] = [];
    database.commits.listen((tenantId, written) => written.has('auditLog') && announced.push(tenantId));
    await batch.flush();

    expect(faults).toHaveLength(2);
    expect(announced.sort()).toEqual(['acme', 'other']);
    for (const id of ['acme', 'other']) {
      const store = (await tenants.byId(id))?.store;
      expect(await store?.from('auditLog').select('key')).toEqual([{ key: entry.key }]);
    }
    expect(batch.isBehind).toBe(false);
    await database.close();
  });
});
