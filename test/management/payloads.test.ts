import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';
import { dumpTenant } from '../support/tenant-rows.ts';

describe.each(databases)('the payload of an event on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());

  /** Makes a call, which must succeed, and returns its response and the bodies of its events. */
  async function eventsOf(route: string, body?: unknown) {
    const before = new Set((await dumpTenant(stage.database, 'default')).events);
    const answer = await stage.api.must(route, body);
    const { events = [] } = await dumpTenant(stage.database, 'default');
    const bodies = events.filter((row) => !before.has(row)).map((row) => JSON.parse(JSON.parse(row).body));
    return { answer, bodies: bodies.toSorted((one, other) => one.event.localeCompare(other.event)) };
  }

  it('contains the request and the resource, but never a password', async () => {
    const { answer, bodies } = await eventsOf('POST /users', { username: 'erin', password: 'correct horse' });
    expect(bodies).toEqual([
      {
        event: 'User.Created',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        userAgent: 'node',
        ip: expect.stringContaining('127.0.0.1'),
        path: '/users',
        method: 'POST',
        status: 200,
        params: {},
        matchedRoute: '/users',
        data: answer,
      },
    ]);
    expect(answer).toMatchObject({ hasPassword: true, createdAt: expect.any(Number) });
    expect(JSON.stringify(bodies)).not.toContain('argon2');
  });

  it('contains the merged object for custom data and profile', async () => {
    const { user } = stage.world;
    await stage.api.must(`PATCH /users/${user}/custom-data`, { customData: { level: 1, plan: 'gold' } });
    const customData = await eventsOf(`PATCH /users/${user}/custom-data`, { customData: { level: 2 } });
    expect(customData.bodies).toMatchObject([{ event: 'User.Data.Updated', data: { level: 2, plan: 'gold' } }]);
    expect(customData.answer).toEqual({ level: 2, plan: 'gold' });
    const profile = await eventsOf(`PATCH /users/${user}/profile`, { profile: { nickname: 'Caz' } });
    expect(profile.bodies).toMatchObject([{ data: { nickname: 'Caz' }, params: { userId: user } }]);
  });

  it('contains the deleted user', async () => {
    const { user } = stage.world;
    const { bodies } = await eventsOf(`DELETE /users/${user}`);
    expect(bodies).toMatchObject([
      {
        event: 'User.Deleted',
        status: 204,
        matchedRoute: '/users/:userId',
        data: { id: user, username: 'carol', hasPassword: true, identities: { google: { userId: 'g-1' } } },
      },
    ]);
  });

  it('has no data for other deleted resources', async () => {
    const { role, organization, scope, resource } = stage.world;
    for (const route of [
      `DELETE /resources/${resource}/scopes/${scope}`,
      `DELETE /roles/${role}`,
      `DELETE /organizations/${organization}`,
    ]) {
      const { bodies } = await eventsOf(route);
      expect(bodies).toHaveLength(1);
      expect(bodies[0]).not.toHaveProperty('data');
    }
  });

  it('contains the scopes of a role: all of them, or those it was created with', async () => {
    const { role, scope, spareScope } = stage.world;
    const added = await eventsOf(`POST /roles/${role}/scopes`, { scopeIds: [spareScope] });
    expect(added.bodies).toMatchObject([
      { event: 'Role.Scopes.Updated', status: 201, data: [{ id: scope }, { id: spareScope }] },
    ]);
    const created = await eventsOf('POST /roles', { name: 'Cook', description: 'Cooks', scopeIds: [scope] });
    expect(created.bodies).toMatchObject([
      { event: 'Role.Created', data: { name: 'Cook' } },
      { event: 'Role.Scopes.Updated', roleId: created.answer.id, data: [{ id: scope }] },
    ]);
    const taken = await eventsOf(`DELETE /roles/${role}/scopes/${scope}`);
    expect(taken.bodies[0]).not.toHaveProperty('data');
    expect((await eventsOf('POST /roles', { name: 'Bare', description: 'None', scopeIds: [] })).bodies).toHaveLength(1);
  });

  it('names the scopes that were deleted with their resource', async () => {
    const { resource, scope, spareScope } = stage.world;
    const { bodies } = await eventsOf(`DELETE /resources/${resource}`);
    expect(bodies).toHaveLength(2);
    expect(bodies.map(({ scopeId }) => scopeId).toSorted()).toEqual([scope, spareScope].toSorted());
    expect(bodies).toMatchObject([{ resourceId: resource }, { params: { id: resource } }]);
  });

  it('names added and removed members of an organization', async () => {
    const { organization, user, spareUser, machine } = stage.world;
    const change = async (route: string, body?: unknown) => (await eventsOf(`${route}`, body)).bodies;
    const path = `/organizations/${organization}/users`;
    const [added] = await change(`POST ${path}`, { userIds: [user, spareUser] });
    expect(added).toMatchObject({ organizationId: organization, addedUserIds: [spareUser] });
    expect(added).not.toHaveProperty('removedUserIds');
    expect(added).not.toHaveProperty('data');
    expect(await change(`POST ${path}`, { userIds: [user, spareUser] })).toEqual([]);
    expect(await change(`PUT ${path}`, { userIds: [spareUser, user] })).toEqual([]);
    expect(await change(`PUT ${path}`, { userIds: [spareUser] })).toMatchObject([{ removedUserIds: [user] }]);
    expect(await change(`DELETE ${path}/${spareUser}`)).toMatchObject([{ removedUserIds: [spareUser] }]);
    const [gone] = await change(`PUT /organizations/${organization}/applications`, { applicationIds: [] });
    expect(gone).toMatchObject({ removedApplicationIds: [machine] });
  });

  it('names the organization role that was created with scopes', async () => {
    const { organizationScope } = stage.world;
    const body = { name: 'Owner', organizationScopeIds: [organizationScope] };
    const { answer, bodies } = await eventsOf('POST /organization-roles', body);
    expect(bodies).toMatchObject([
      { event: 'OrganizationRole.Created', data: { name: 'Owner' } },
      { event: 'OrganizationRole.Scopes.Updated', organizationRoleId: answer.id },
    ]);
    expect(bodies[1]).not.toHaveProperty('data');
  });

  it('does not exist if the call is refused', async () => {
    const { events } = await dumpTenant(stage.database, 'default');
    const refused = await stage.api.call('POST /roles', { name: 'X', description: 'X', scopeIds: ['z'.repeat(21)] });
    expect(refused).toMatchObject({ status: 404, body: { code: 'entity.relation_foreign_key_not_found' } });
    const role = await stage.api.must('GET /roles?search.name=X&mode.name=exact');
    expect(role).toEqual([]);
    expect((await dumpTenant(stage.database, 'default')).events).toEqual(events);
  });

  it('is emitted even if the values do not change', async () => {
    const { bodies } = await eventsOf(`PATCH /users/${stage.world.user}`, { username: 'carol' });
    expect(bodies).toMatchObject([{ event: 'User.Data.Updated', data: { username: 'carol' } }]);
  });
});
