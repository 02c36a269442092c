import { expect, it } from 'vitest';
import { connect } from '../src/database/connect.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { incrementVersion, Tenants } from '../src/tenants.ts';
import { createMigrated, databases } from './support/databases.ts';
import { addTenant } from './support/tenant-rows.ts';

it.each(databases)('reads that start after a change see it, even while other reads run, on %s', async (kind) => {
  await using shared = await createMigrated(kind);
  const settings = { databaseUrl: shared.url, dataDir: shared.dataDir, poolSize: 4 };
  const database = connect(settings);
  await addTenant(database, 'acme');
  let now = 0;
  const tenants = new Tenants(database, () => now);
  const store = new TenantStore(database, 'acme');

  for (let version = 1; version <= 20; version += 1) {
    now += 2_000;
    const early = [tenants.byId('acme'), tenants.byId('acme')]; // These reads may begin before the change.
    await store.transaction(incrementVersion);
    const late = await Promise.all([tenants.byId('acme'), tenants.resolve('acme.example', '/'), tenants.byId('acme')]);
    expect([late[0]?.version, late[1]?.tenant.version, late[2]?.version]).toEqual([version, version, version]);
    expect((await tenants.byId('acme'))?.version).toBe(version);
    await Promise.all(early);
  }
  await database.close();
});
