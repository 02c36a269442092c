import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveRole, removeAdministrator } from '../../src/admin/administrators.ts';
import { ADMINISTRATOR_ROLES, type AdministratorRole, isAdministratorRole } from '../../src/base/administrator-role.ts';
import { hashOf } from '../../src/base/ids.ts';
import { routes } from '../../src/console/places/index.ts';
import type { Needs } from '../../src/console/route.ts';
import { formTokenOf } from '../../src/console/session/form-token.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { expectedRole } from '../support/administrator-roles.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const tokenOf = (role: AdministratorRole) => `session-of-the-${role}`;
const filled = (path: string) => path.replaceAll(/:\w+/g, 'nothing');
const neededBy = (needs: Needs, tenantId: string) =>
  isAdministratorRole(needs) ? needs : expectedRole(needs, tenantId);
const TENANTS = ['default', 'acme'];

describe.each(databases)('the roles of administrators in the console on %s', (kind) => {
  let service: TestService;
  let database: Database;
  let store: TenantStore;
  /** The administrators of both tenants, by role, and a user who is none. */
  const ids = {} as Record<AdministratorRole | 'customer', string>;
  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    store = new TenantStore(database, 'default');
    const now = Date.now();
    await database.write(async (db) => {
      await db('tenants').insert({ id: 'acme', name: 'Acme', settings: '{}', createdAt: now });
      await db('tenantEndpoints').insert({ url: `${service.url}/acme`, tenantId: 'acme', position: 0 });
    });
    ids.customer = (await service.api.must('POST /users', { username: 'customer' })).id;
    for (const role of ADMINISTRATOR_ROLES) {
      ids[role] = (await service.api.must('POST /users', { username: role })).id;
      await giveRole(store, ids[role], { tenantIds: TENANTS, role }, { by: 'command', now });
      const session = { id: hashOf(tokenOf(role)), userId: ids[role], createdAt: now, expiresAt: now + 3_600_000 };
      await store.add('consoleSessions', [session]);
    }
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const open = async (role: AdministratorRole, path: string, tenantId = 'default') => {
    const headers = { cookie: `console_session=${tokenOf(role)}` };
    const response = await fetch(`${service.url}/console/${tenantId}${path}`, { headers, redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  };
  const submit = async (
    role: AdministratorRole,
    path: string,
    fields: Record<string, string> = {},
    tenantId = 'default',
  ) => {
    const response = await fetch(`${service.url}/console/${tenantId}${path}`, {
      method: 'POST',
      headers: { cookie: `console_session=${tokenOf(role)}` },
      redirect: 'manual',
      body: new URLSearchParams({ csrf: formTokenOf({ token: tokenOf(role), id: ids[role] }), ...fields }),
    });
    return { status: response.status, text: await response.text() };
  };
  const refusal = (role: AdministratorRole) => ({
    status: 403,
    text: expect.stringContaining(`requires the role ${role}`),
  });
  const isRefused = ({ status, text }: { status: number; text: string }) =>
    status === 403 && text.includes('This requires the role');

  it.each(TENANTS)('decide which pages of tenant %s open', async (tenantId) => {
    for (const { path, needs } of routes.filter(({ isPage }) => isPage)) {
      const needed = neededBy(needs, tenantId);
      const refused = [];
      for (const role of ADMINISTRATOR_ROLES) refused.push(isRefused(await open(role, filled(path), tenantId)));
      const expected = ADMINISTRATOR_ROLES.map((_, at) => at < ADMINISTRATOR_ROLES.indexOf(needed));
      expect({ path, refused }).toEqual({ path, refused: expected });
    }
  });

  it.each(TENANTS)('decide which forms of tenant %s can be submitted', async (tenantId) => {
    for (const { path, needs } of routes.filter(({ submit }) => submit)) {
      const needed = neededBy(needs, tenantId);
      const refused = [];
      for (const role of ADMINISTRATOR_ROLES) refused.push(isRefused(await submit(role, filled(path), {}, tenantId)));
      const expected = ADMINISTRATOR_ROLES.map((_, at) => at < ADMINISTRATOR_ROLES.indexOf(needed));
      expect({ path, refused }).toEqual({ path, refused: expected });
    }
  });

  it('protect administrators from editors, who could otherwise sign in as an owner', async () => {
    const owner = `/directory/users/${ids.owner}`;
    for (const [path, fields] of [
      [`${owner}/password`, { password: 'violet harbour ninety' }],
      [`${owner}/edit`, { primaryEmail: 'editor@example.com', username: 'owner', customData: '{}' }],
      [`${owner}/suspend`, {}],
      [`${owner}/delete`, {}],
      [`${owner}/factors/nothing/delete`, {}],
      [`/directory/users/${ids.viewer}/password`, { password: 'violet harbour ninety' }],
    ] as const) {
      expect(await submit('editor', path, fields)).toMatchObject(refusal('owner'));
    }
    const before = await store.get('users', { id: ids.owner });
    expect(before).toMatchObject({ passwordHash: null, primaryEmail: null, isSuspended: false });
    const password = { password: 'violet harbour ninety' };
    expect(await submit('editor', `/directory/users/${ids.customer}/password`, password)).toMatchObject({
      status: 303,
    });
    const fields = { name: 'Vi', username: 'viewer', customData: '{}' };
    expect(await submit('owner', `/directory/users/${ids.viewer}/edit`, fields)).toMatchObject({ status: 303 });
  });

  it('let support act as users, but not as administrators, whatever the policy says', async () => {
    await service.api.must('PATCH /configs/impersonation', { protectAdministrators: false });
    const actAs = (role: AdministratorRole, userId: string) =>
      submit(role, '/impersonations/new', { userId, reason: 'Order is missing' });
    for (const role of ['support', 'editor'] as const) {
      expect(await actAs(role, ids.owner)).toMatchObject(refusal('owner'));
      expect(await actAs(role, ids.viewer)).toMatchObject(refusal('owner'));
      expect(await actAs(role, ids.customer)).toMatchObject({ status: 303 });
    }
    const created = await store.from('subjectTokens').select('userId', 'creatorId');
    expect(new Set(created.map(({ userId }) => userId))).toEqual(new Set([ids.customer]));
    expect(await submit('support', `/impersonations/of/${ids.customer}/end`)).toMatchObject({ status: 303 });
    expect(await actAs('owner', ids.viewer)).toMatchObject({ status: 303 });
  });

  it('keep the scopes of the APIs of the service, which give the rights of an owner, from editors', async () => {
    const { machine, operator } = service.credentials;
    const call = service.api;
    const { id: applicationId } = await call.must('POST /applications', { name: 'Mine', type: 'MachineToMachine' });
    const { id: roleId } = await call.must('POST /roles', {
      name: 'Mine',
      description: 'Mine',
      type: 'MachineToMachine',
    });
    for (const { clientId } of [machine, operator]) {
      const held = await store.get('applicationRoles', { applicationId: clientId });
      const secrets = `/directory/applications/${clientId}/secrets`;
      for (const [path, fields] of [
        [`${secrets}/new`, { name: 'mine' }],
        [`${secrets}/First%20secret/delete`, {}],
        [`/directory/applications/${applicationId}/roles/add`, { id: held.roleId }],
        [`/directory/roles/${held.roleId}/applications/add`, { id: applicationId }],
      ] as const) {
        expect(await submit('editor', path, fields)).toMatchObject(refusal('owner'));
      }
      expect((await open('editor', `/directory/applications/${clientId}`)).status).toBe(200);
      expect(await store.from('applicationSecrets').where({ applicationId: clientId })).toHaveLength(1);
    }
    for (const id of ['management-api-all', 'admin-api-tenants'])
      expect(await submit('editor', `/directory/roles/${roleId}/scopes/add`, { id })).toMatchObject(refusal('owner'));
    expect(await store.from('applicationRoles').where({ applicationId })).toEqual([]);
    expect(await store.from('roleScopes').where({ roleId })).toEqual([]);
    expect((await submit('editor', `/directory/applications/${applicationId}/secrets/new`, { name: 'b' })).status).toBe(
      303,
    );
  });

  it('are only given by owners, and hold from the next request', async () => {
    const path = `/settings/administrators/${ids.editor}`;
    for (const role of ['viewer', 'support', 'editor'] as const) {
      expect(await submit(role, `${path}/role`, { role: 'owner' })).toMatchObject(refusal('owner'));
      expect(await submit(role, '/settings/administrators/add', { user: 'customer', role: 'owner' })).toMatchObject(
        refusal('owner'),
      );
    }
    expect((await submit('owner', `${path}/role`, { role: 'king' })).status).toBe(400);
    expect((await submit('owner', `/settings/administrators/${ids.customer}/role`, { role: 'owner' })).status).toBe(
      404,
    );
    expect((await submit('owner', `${path}/role`, { role: 'viewer' })).status).toBe(303);
    expect(await open('editor', '/directory/users/new')).toMatchObject(refusal('editor'));
    expect((await open('editor', '/directory/users/new', 'acme')).status).toBe(200);
    expect(await store.from('auditLog').where({ key: 'Console.Administrator.Change' })).toMatchObject([
      { userId: ids.editor, actorId: ids.owner, payload: { tenantIds: ['default'], role: 'viewer', by: 'console' } },
    ]);
    expect((await submit('owner', `${path}/role`, { role: 'editor' })).status).toBe(303);
  });

  it('always leave an owner who can sign in, also when two owners demote each other', async () => {
    const change = { by: 'command', now: Date.now() } as const;
    const last = { code: 'administrator.is_last' };
    const demote = (id: string) => giveRole(store, id, { tenantIds: ['acme'], role: 'viewer' }, change);
    await expect(demote(ids.owner)).rejects.toMatchObject(last);
    await expect(removeAdministrator(store, ids.owner, 'acme', change)).rejects.toMatchObject(last);
    await giveRole(store, ids.editor, { tenantIds: ['acme'], role: 'owner' }, change);
    const ends = await Promise.allSettled([ids.owner, ids.editor].map(demote));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await store.from('administrators').where({ managedTenantId: 'acme', role: 'owner' })).toHaveLength(1);
  });
});
