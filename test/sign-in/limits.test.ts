import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { ExactLimits } from '../../src/http/rate-limits/exact-limits.ts';
import { createDatabase, databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { addTenant } from '../support/tenant-rows.ts';

describe.each(databases)('rate limits of sign-in on %s', (kind) => {
  it.each([
    ['registration', 30],
    ['codeAddress', 30],
    ['address', 100],
  ] as const)('count all addresses of one IPv6 network together: %s', async (rule, points) => {
    await using service = await startService(kind, { DEMO: 'false' });
    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 1 });
    const store = new TenantStore(database, 'default');
    const limits = new ExactLimits(Date.now);
    for (let host = 1; host <= points; host += 1) await limits.take(store, rule, `2001:db8:0:1::${host.toString(16)}`);
    await expect(limits.take(store, rule, '2001:db8:0:1:ffff::1')).rejects.toThrow('Too many requests');
    await limits.take(store, rule, '2001:db8:0:2::1');
    await limits.refund(store, rule, '2001:db8:0:1::abc');
    await limits.take(store, rule, '2001:db8:0:1::abd');
    await database.close();
  });

  it('count attempts at the same time, and end when their time is over', async () => {
    await using place = await createDatabase(kind);
    const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 4 };
    await migrate(settings);
    const database = connect(settings);
    await addTenant(database, 'acme');
    await addTenant(database, 'other');
    let now = 1_000_000;
    const refused: string[] = [];
    const limits = new ExactLimits(
      () => now,
      (limit) => refused.push(limit),
    );
    const store = new TenantStore(database, 'acme');
    const take = () => limits.take(store, 'factor', 'user');
    const attempts = await Promise.allSettled(Array.from({ length: 15 }, take));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(refused).toEqual(Array(5).fill('factor'));
    await limits.take(new TenantStore(database, 'other'), 'factor', 'user');

    now += 15 * MINUTE_MS - 1;
    await expect(take()).rejects.toMatchObject({ data: { retryAfterSeconds: 1 }, headers: { 'Retry-After': '1' } });
    now += 1;
    await take();
    now += 15 * MINUTE_MS - 1;
    for (let attempt = 2; attempt <= 10; attempt += 1) await take();
    await expect(take()).rejects.toThrow('Too many requests');
    now += 1; // The time is counted from the first attempt.
    await take();
    await limits.clear(store, 'factor', 'user');
    await limits.refund(store, 'factor', 'user'); // Nothing is left to return.
    for (let attempt = 1; attempt <= 10; attempt += 1) await take();
    await expect(take()).rejects.toThrow('Too many requests');
    await database.close();
  });
});
