import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { Limits } from '../../src/sign-in/interaction/limits.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('rate limits of sign-in on %s', (kind) => {
  it.each([
    ['registration', 30],
    ['codeAddress', 30],
    ['address', 100],
  ] as const)('count all addresses of one IPv6 network together: %s', async (rule, points) => {
    await using service = await startService(kind, { DEMO: 'false' });
    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 1 });
    const store = new TenantStore(database, 'default');
    const limits = new Limits(Date.now);
    for (let host = 1; host <= points; host += 1) await limits.take(store, rule, `2001:db8:0:1::${host.toString(16)}`);
    await expect(limits.take(store, rule, '2001:db8:0:1:ffff::1')).rejects.toThrow('Too many requests');
    await limits.take(store, rule, '2001:db8:0:2::1');
    await limits.refund(store, rule, '2001:db8:0:1::abc');
    await limits.take(store, rule, '2001:db8:0:1::abd');
    await database.close();
  });
});
