import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';

describe.each(databases)('roles and resources on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());
  const call = (route: string, body?: unknown) => stage.api.call(route, body);

  it('are listed with the number of their users and applications and the first of them', async () => {
    const { role, user, machine, spareUser } = stage.world;
    await stage.api.must(`POST /roles/${role}/users`, { userIds: [spareUser] });
    const roles = await stage.api.must('GET /roles?page_size=100');
    const named = (name: string) => roles.find((role: { name: string }) => role.name === name);
    expect(named('Clerk')).toMatchObject({ usersCount: 2, applicationsCount: 0, featuredApplications: [] });
    expect(
      named('Clerk')
        .featuredUsers.map(({ id }: { id: string }) => id)
        .toSorted(),
    ).toEqual([spareUser, user].toSorted());
    expect(named('Importer')).toMatchObject({
      applicationsCount: 1,
      featuredApplications: [{ id: machine, name: 'Nightly' }],
    });
    expect(named('Auditor')).toMatchObject({ usersCount: 0, featuredUsers: [] });
  });

  it('are assigned only to the matching type, each once', async () => {
    const { role, user, spareUser, machineRole, machine, application, spareMachine } = stage.world;
    expect(await call(`POST /roles/${role}/users`, { userIds: [user] })).toMatchObject({
      status: 422,
      body: { code: 'role.user_exists' },
    });
    expect(await call(`POST /roles/${machineRole}/users`, { userIds: [spareUser] })).toMatchObject({
      status: 422,
      body: { code: 'entity.db_constraint_violated' },
    });
    expect(await call(`POST /roles/${machineRole}/applications`, { applicationIds: [machine] })).toMatchObject({
      body: { code: 'role.application_exists' },
    });
    expect(await call(`POST /roles/${machineRole}/applications`, { applicationIds: [application] })).toMatchObject({
      body: { code: 'entity.db_constraint_violated' },
    });
    expect(await call(`POST /roles/${machineRole}/applications`, { applicationIds: [spareMachine] })).toMatchObject({
      status: 201,
    });
    // All or nothing: one user has the role already, so the other does not get it.
    expect(await call(`POST /roles/${role}/users`, { userIds: [spareUser, user] })).toMatchObject({ status: 422 });
    expect(await stage.api.must(`GET /roles/${role}/users`)).toHaveLength(1);
  });

  it('get each scope once, and those of the Management API only if they are machine-to-machine', async () => {
    const { role, scope, machineRole, organizationRole } = stage.world;
    expect(await call(`POST /roles/${role}/scopes`, { scopeIds: [scope] })).toMatchObject({
      status: 422,
      body: { code: 'role.scope_exists' },
    });
    expect(await call(`POST /roles/${role}/scopes`, { scopeIds: [] })).toMatchObject({ status: 400 });
    const management = { scopeIds: ['management-api-all'] };
    const refused = { status: 400, body: { code: 'role.management_api_scopes_not_assignable_to_user_role' } };
    expect(await call(`POST /roles/${role}/scopes`, management)).toMatchObject(refused);
    expect(await call('POST /roles', { name: 'Root', description: 'All', ...management })).toMatchObject(refused);
    expect(await call(`POST /organization-roles/${organizationRole}/resource-scopes`, management)).toMatchObject(
      refused,
    );
    expect(await call(`POST /roles/${machineRole}/scopes`, management)).toMatchObject({ status: 201 });
    expect(await call('POST /roles', { name: 'Clerk', description: 'Again' })).toMatchObject({
      body: { code: 'role.name_in_use' },
    });
  });

  it('protect the Management API', async () => {
    const modify = { status: 400, body: { code: 'resource.cannot_modify_management_api' } };
    expect(await call('PATCH /resources/management-api', { name: 'Mine' })).toMatchObject(modify);
    expect(await call('PATCH /resources/management-api/is-default', { isDefault: true })).toMatchObject(modify);
    expect(await call('POST /resources/management-api/scopes', { name: 'more' })).toMatchObject(modify);
    expect(await call('DELETE /resources/management-api/scopes/management-api-all')).toMatchObject(modify);
    expect(await call('DELETE /resources/management-api')).toMatchObject({
      status: 400,
      body: { code: 'resource.cannot_delete_management_api' },
    });
  });

  it('require an absolute URI as the indicator, which cannot be changed', async () => {
    const make = (indicator: string) => call('POST /resources', { name: 'X', indicator });
    for (const indicator of ['orders', '/orders', 'https://a.example/#f', 'https://a.example/ b'])
      expect(await make(indicator), indicator).toMatchObject({ status: 400, body: { code: 'guard.invalid_input' } });
    expect(await make(stage.world.indicator)).toMatchObject({
      status: 422,
      body: { code: 'resource.resource_identifier_in_use' },
    });
    expect(await make('urn:example:orders')).toMatchObject({ status: 201, body: { scopes: [], accessTokenTtl: 3600 } });
    expect(await call(`PATCH /resources/${stage.world.resource}`, { indicator: 'https://b.example' })).toMatchObject({
      status: 400,
    });
  });

  it('allow at most one default resource', async () => {
    const { resource } = stage.world;
    const other = await stage.api.must('POST /resources', { name: 'Y', indicator: 'urn:example:y' });
    for (const id of [resource, other.id])
      await stage.api.must(`PATCH /resources/${id}/is-default`, { isDefault: true });
    const defaults = (await stage.api.must('GET /resources')).filter(
      ({ isDefault }: { isDefault: boolean }) => isDefault,
    );
    expect(defaults).toMatchObject([{ id: other.id }]);
  });

  it('only accept scope names that tokens can contain', async () => {
    const make = (name: string) => call(`POST /resources/${stage.world.resource}/scopes`, { name });
    expect(await make('read bills')).toMatchObject({ status: 400, body: { code: 'scope.name_with_space' } });
    expect(await make('read:bills')).toMatchObject({ status: 422, body: { code: 'scope.name_exists' } });
    for (const name of ['openid', 'offline_access', 'urn:logto:scope:organizations'])
      expect(await make(name), name).toMatchObject({ status: 422, body: { code: 'scope.name_reserved' } });
    expect(await make('x'.repeat(256))).toMatchObject({ status: 201 });
  });
});
