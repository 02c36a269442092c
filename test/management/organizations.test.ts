import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';

describe.each(databases)('organizations on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());
  const call = (route: string, body?: unknown) => stage.api.call(route, body);
  const unknown = 'z'.repeat(12);

  it('store and return fields that have no effect', async () => {
    const branding = { logoUrl: 'https://a.example/logo.png' };
    const { id } = await stage.api.must('POST /organizations', { name: 'Globex', branding, customData: { a: 1 } });
    const changed = await stage.api.must(`PATCH /organizations/${id}`, { customData: { b: 2 }, customCss: 'p{}' });
    expect(changed).toMatchObject({ branding, customCss: 'p{}', customData: { b: 2 } });
    expect(changed.customData).not.toHaveProperty('a');
    expect(id).toMatch(/^[0-9a-z]{12}$/);
    expect(await stage.api.must('GET /organizations?q=GLOB')).toHaveLength(1);
    expect(await stage.api.must('GET /organizations?q=G%25b')).toEqual([]);
  });

  it('list members with their roles', async () => {
    const { organization, user, organizationRole, machine } = stage.world;
    const users = await call(`GET /organizations/${organization}/users?q=CAROL`);
    expect(users.body).toMatchObject([
      { id: user, hasPassword: true, organizationRoles: [{ id: organizationRole, name: 'Member' }] },
    ]);
    expect(users.headers.get('total-number')).toBe('1');
    const machines = await stage.api.must(`GET /organizations/${organization}/applications`);
    expect(machines).toMatchObject([{ id: machine, organizationRoles: [{ name: 'Robot' }] }]);
  });

  it('accept repeated ids and empty lists', async () => {
    const { organization, user, spareUser, organizationRole, spareOrganizationRole } = stage.world;
    const members = `/organizations/${organization}/users`;
    const { body } = await call(`POST ${members}`, { userIds: [spareUser, spareUser] });
    expect(body).toEqual({ userIds: [spareUser] });

    const roles = `${members}/${user}/roles`;
    expect(await call(`POST ${roles}`, { organizationRoleIds: [] })).toMatchObject({
      status: 201,
      body: { organizationRoleIds: [] },
    });
    const both = { organizationRoleIds: [organizationRole], organizationRoleNames: ['Guest', 'Member', 'Guest'] };
    const { body: given } = await call(`POST ${roles}`, both);
    expect(new Set(given.organizationRoleIds)).toEqual(new Set([organizationRole, spareOrganizationRole]));
    expect(given.organizationRoleIds).toHaveLength(2);
    expect(await call(`PUT ${roles}`, { organizationRoleNames: ['Guest'] })).toMatchObject({ status: 204 });
    expect(await stage.api.must(`GET ${roles}`)).toMatchObject([{ id: spareOrganizationRole }]);
    expect(await call(`POST ${roles}`, { organizationRoleNames: ['Nobody'] })).toMatchObject({
      status: 422,
      body: { code: 'entity.relation_foreign_key_not_found', data: { member: 'organizationRoleNames' } },
    });
    expect(await call(`PUT ${roles}`, {})).toMatchObject({ status: 422, body: { code: 'entity.invalid_input' } });
  });

  it('are listed for a user with the roles in each', async () => {
    const { organization, user, spareUser, organizationRole } = stage.world;
    expect(await stage.api.must(`GET /users/${user}/organizations`)).toMatchObject([
      { id: organization, name: 'Acme', organizationRoles: [{ id: organizationRole, name: 'Member' }] },
    ]);
    const paged = await call(`GET /users/${user}/organizations?page=1&page_size=1`);
    expect(paged.headers.get('total-number')).toBe('1');
    expect(await stage.api.must(`GET /users/${spareUser}/organizations`)).toEqual([]);
    expect(await call('GET /users/zzzzzzzzzzzz/organizations')).toMatchObject({ status: 404 });
  });

  it('respond 422 to an unknown reference and change nothing', async () => {
    const { organization, spareUser, application } = stage.world;
    const missing = { status: 422, body: { code: 'entity.relation_foreign_key_not_found' } };
    expect(await call(`POST /organizations/${organization}/users`, { userIds: [spareUser, unknown] })).toMatchObject(
      missing,
    );
    expect(await call(`PUT /organizations/${organization}/users`, { userIds: [unknown] })).toMatchObject(missing);
    expect(await stage.api.must(`GET /organizations/${organization}/users`)).toHaveLength(1);
    expect(await call(`POST /organizations/${unknown}/users`, { userIds: [spareUser] })).toMatchObject({ status: 404 });
    expect(
      await call(`POST /organizations/${organization}/applications`, { applicationIds: [application] }),
    ).toMatchObject({
      status: 422,
      body: { code: 'entity.db_constraint_violated' },
    });
    expect(
      await call('POST /organization-roles', { name: 'Half', organizationScopeIds: ['z'.repeat(21)] }),
    ).toMatchObject(missing);
    expect(await stage.api.must('GET /organization-roles?q=Half')).toEqual([]);
  });

  it('assign roles only to members of the matching type', async () => {
    const { organization, user, spareUser, organizationRole, spareOrganizationRole, machineOrganizationRole } =
      stage.world;
    const path = `/organizations/${organization}/users`;
    expect(await call(`POST ${path}/${spareUser}/roles`, { organizationRoleIds: [organizationRole] })).toMatchObject({
      status: 422,
      body: { code: 'organization.require_membership' },
    });
    expect(await call(`POST ${path}/${user}/roles`, { organizationRoleIds: [machineOrganizationRole] })).toMatchObject({
      status: 422,
      body: { code: 'entity.db_constraint_violated' },
    });
    expect(
      await call(`POST ${path}/roles`, { userIds: [user], organizationRoleIds: [spareOrganizationRole] }),
    ).toMatchObject({ status: 201 });
    expect(await stage.api.must(`GET ${path}/${user}/roles`)).toHaveLength(2);
    expect(await call(`PUT ${path}/${user}/roles`, { organizationRoleIds: [spareOrganizationRole] })).toMatchObject({
      status: 204,
    });
    expect(await stage.api.must(`GET ${path}/${user}/roles`)).toMatchObject([{ id: spareOrganizationRole }]);
    expect(await stage.api.must(`GET ${path}/${user}/scopes`)).toEqual([]);
  });

  it('remove the roles together with the membership', async () => {
    const { organization, user } = stage.world;
    await stage.api.must(`DELETE /organizations/${organization}/users/${user}`);
    await stage.api.must(`POST /organizations/${organization}/users`, { userIds: [user] });
    expect(await stage.api.must(`GET /organizations/${organization}/users/${user}/roles`)).toEqual([]);
  });

  it('show roles with their scopes', async () => {
    const { organizationRole, organizationScope, scope, resource, spareScope } = stage.world;
    const [role] = await stage.api.must('GET /organization-roles?q=member');
    expect(role).toMatchObject({
      id: organizationRole,
      scopes: [{ id: organizationScope, name: 'invite' }],
      resourceScopes: [{ id: scope, resource: { id: resource, name: 'Billing' } }],
    });
    const path = `/organization-roles/${organizationRole}/resource-scopes`;
    expect(await call(`POST ${path}`, { scopeIds: [spareScope] })).toMatchObject({ status: 201, body: undefined });
    expect(await call(`PUT ${path}`, { scopeIds: [spareScope] })).toMatchObject({ status: 204 });
    expect(await stage.api.must(`GET ${path}`)).toMatchObject([{ id: spareScope, resource: { id: resource } }]);
    expect(await call('POST /organization-roles', { name: 'Member' })).toMatchObject({
      status: 422,
      body: { code: 'entity.unique_integrity_violation' },
    });
  });
});
