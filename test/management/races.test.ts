import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { DEFAULT_TENANT } from '../../src/tenants.ts';
import { MANAGEMENT_API } from '../../src/tokens/urns.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { spyOnStatements } from '../support/statements.ts';
import { CONNECTOR } from '../support/world.ts';

const HOOK = { name: 'Hook', events: ['User.Created'], config: { url: 'https://receiver.example' } };

describe.each(databases)('operations at the same time on %s', (kind) => {
  let service: TestService;
  let another: Database;

  beforeEach(async () => {
    service = await startService(kind, { DEMO: 'false' });
    another = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
  });
  afterEach(async () => {
    await another.close();
    await service[Symbol.asyncDispose]();
  });

  /** Calls `work` while a transaction of another process is open, which commits when `work` has begun to write. */
  async function during<T>(transaction: (store: TenantStore) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
    let hasBegun = false;
    let result: Promise<T> | undefined;
    await new TenantStore(another, DEFAULT_TENANT).transaction(async (store) => {
      await transaction(store);
      const spy = spyOnStatements(kind, ({ sql = '' }) => {
        hasBegun ||= /^\s*(begin|insert|update|with change_)/.test(sql);
      });
      result = work();
      await vi.waitFor(() => expect(hasBegun).toBe(true)).finally(() => spy.mockRestore());
    });
    return result as Promise<T>;
  }

  it('do not create a resource whose indicator becomes an alias of the Management API', async () => {
    const { resourceId } = MANAGEMENT_API;
    const { indicator } = await service.api.must(`GET /resources/${resourceId}`);
    const rename = async (store: TenantStore) => {
      await store.update('resources', { id: resourceId }, { indicator: 'https://new.example/api' });
      await store.add('resourceAliases', [{ indicator, resourceId }]);
    };
    const created = await during(rename, () => service.api.call('POST /resources', { name: 'Shadow', indicator }));
    expect(created.body.code).toBe('resource.resource_identifier_in_use');
  });

  it('do not give an email domain to two connectors', async () => {
    const targets = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all(
      targets.map((target) => service.api.call('POST /connectors', { ...CONNECTOR, target, domains: ['example.com'] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });

  it('do not exceed the number of webhooks', async () => {
    for (let made = 0; made < 99; made += 33)
      await Promise.all(Array.from({ length: 33 }, () => service.api.must('POST /hooks', HOOK)));
    const answers = await Promise.all(Array.from({ length: 4 }, () => service.api.call('POST /hooks', HOOK)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });
});
