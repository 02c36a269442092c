import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOperations } from '../../src/admin/tenants.ts';
import { ADMINISTRATOR_ROLES, type AdministratorRole } from '../../src/base/administrator-role.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Operation } from '../../src/http/operations/operation.ts';
import { type PerformerParts, performer } from '../../src/http/operations/perform.ts';
import { operations } from '../../src/management/index.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';
import { type Tenant, Tenants } from '../../src/tenants.ts';
import { expectedRole } from '../support/administrator-roles.ts';
import { databases } from '../support/databases.ts';
import type { Sample } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage, type Stage } from '../support/stage.ts';

const all: readonly Operation[] = [...operations, ...adminOperations];

/** A part that no operation of this test gets to. An operation that uses it was allowed to. */
const unreachable = () =>
  new Proxy({} as never, {
    get: () => {
      throw new Error('reached');
    },
  });

describe.each(databases)('the roles of administrators on %s', (kind) => {
  let stage: Stage;
  let tenant: Tenant;
  let parts: PerformerParts;
  beforeAll(async () => {
    stage = await buildStage(kind);
    tenant = (await new Tenants(stage.database, Date.now).byId('default')) as Tenant;
    const secrets = new SecretBox(await loadSecretKey(stage.service.dataDir));
    const refusals = { add: () => {} };
    parts = { services: unreachable(), rateLimits: unreachable(), secrets, clock: Date.now, refusals };
  });
  afterAll(() => stage.close());

  const perform = (operation: Operation, role: AdministratorRole, tenant: Tenant, sample: Sample = {}) =>
    performer(
      operation,
      parts,
    )({
      tenant,
      caller: { applicationId: 'admin-console', scopes: new Set(), userId: 'administrator', role },
      params: {},
      query: {},
      body: {},
      path: '/',
      ip: undefined,
      userAgent: undefined,
      requestId: 'r',
      ...sample,
    });

  /** Returns the role that the caller is told to need, or undefined if the operation began. */
  async function missingRole(operation: Operation, role: AdministratorRole, tenant: Tenant): Promise<unknown> {
    const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 'nothing']);
    try {
      await perform(operation, role, tenant, { params: Object.fromEntries(names) });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'administrator.role_required') return error.data?.role;
    }
    return undefined;
  }

  it.each(all)('$route is for its role and those above it', async (operation) => {
    for (const own of [tenant, { ...tenant, id: 'acme' }]) {
      const needed = expectedRole(operation.route, own.id);
      const answers = await Promise.all(ADMINISTRATOR_ROLES.map((role) => missingRole(operation, role, own)));
      const refused = ADMINISTRATOR_ROLES.indexOf(needed);
      expect(answers).toEqual(ADMINISTRATOR_ROLES.map((_, at) => (at < refused ? needed : undefined)));
    }
  });

  it('let only owners change what administrators have, also in a list of users', async () => {
    const { world, user } = { world: stage.world, user: 'administrator-in-a-list' };
    const now = Date.now();
    const row = { id: user, username: 'listed', customData: {}, profile: {}, isSuspended: false };
    await tenant.store.add('users', [{ ...row, createdAt: now, updatedAt: now }]);
    await tenant.store.add('administrators', [
      { userId: user, managedTenantId: 'default', role: 'viewer', createdAt: now },
    ]);
    const adding = all.filter(({ route }) => /^POST \/(roles|organizations)\/:id\/users$/.test(route));
    expect(adding).toHaveLength(2);
    for (const operation of adding) {
      const sample = { ...samples[operation.route]?.(world), body: { userIds: [user] } };
      const needed = { code: 'administrator.role_required', data: { role: 'owner' } };
      await expect(perform(operation, 'editor', tenant, sample)).rejects.toMatchObject(needed);
      await perform(operation, 'owner', tenant, sample);
    }
  });

  it('do not show secrets to viewers and support', async () => {
    const { api, world } = stage;
    const config = { url: stage.receiver.url, headers: { authorization: 'Bearer of-the-endpoint' } };
    const hook = await api.must(`PATCH /hooks/${world.hook}`, { config });
    const script = { script: 'const getCustomJwtClaims = () => ({});', environmentVariables: { KEY: 'of-the-script' } };
    await api.must('PUT /configs/jwt-customizer/access-token', script);
    await api.must('PUT /configs/jwt-customizer/client-credentials', script);
    const [secret] = await api.must(`GET /applications/${world.machine}/secrets`);
    const known = [hook.signingKey, hook.webhookSecret, 'Bearer of-the-endpoint', 'of-the-script', secret.value];

    const read = async (role: AdministratorRole) => {
      const texts: string[] = [];
      for (const operation of operations.filter(({ method, prepare }: Operation) => method === 'GET' && !prepare)) {
        const { value } = await perform(operation, role, tenant, samples[operation.route]?.(world));
        texts.push(JSON.stringify(value) ?? '');
      }
      return texts.join('\n');
    };
    const [viewer, support, editor] = [await read('viewer'), await read('support'), await read('editor')];
    for (const value of known) {
      expect(editor).toContain(value);
      expect(viewer).not.toContain(value);
      expect(support).not.toContain(value);
    }
    expect(viewer).toContain('"environmentVariables":{"KEY":"…"}');
  });
});
