import { createManagementApi } from '@logto/api/management';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { SCRIPT } from '../support/world.ts';

/** A third-party typed client of the compatible API. Its types are checked against these calls. */
describe.each(databases)('@logto/api on %s', (kind) => {
  it('creates and deletes one resource of each kind', async () => {
    await using service = await startService(kind);
    const { machine, managementApiIndicator } = service.credentials;
    const { apiClient: client } = createManagementApi('default', {
      ...machine,
      baseUrl: service.url,
      apiIndicator: managementApiIndicator,
    });

    const user = await client.POST('/api/users', { body: { username: 'frida', primaryEmail: 'Frida@Example.com' } });
    expect(user.data).toMatchObject({ username: 'frida', primaryEmail: 'frida@example.com', isSuspended: false });
    const userId = user.data?.id ?? '';

    const role = await client.POST('/api/roles', { body: { name: 'Cook', description: 'Cooks' } });
    expect(role.data).toMatchObject({ name: 'Cook', type: 'User', isDefault: false });
    const roleId = role.data?.id ?? '';

    const resource = await client.POST('/api/resources', {
      body: { name: 'Kitchen', indicator: 'https://kitchen.example/api' },
    });
    expect(resource).toMatchObject({ response: { status: 201 }, data: { scopes: [], accessTokenTtl: 3600 } });
    const resourceId = resource.data?.id ?? '';

    const scope = await client.POST('/api/resources/{resourceId}/scopes', {
      params: { path: { resourceId } },
      body: { name: 'cook:soup', description: null },
    });
    expect(scope).toMatchObject({ response: { status: 201 }, data: { name: 'cook:soup', resourceId } });
    const scopeId = scope.data?.id ?? '';
    const held = await client.POST('/api/roles/{id}/scopes', {
      params: { path: { id: roleId } },
      body: { scopeIds: [scopeId] },
    });
    expect(held.response.status).toBe(201);
    await client.POST('/api/users/{userId}/roles', { params: { path: { userId } }, body: { roleIds: [roleId] } });

    const organization = await client.POST('/api/organizations', { body: { name: 'Bistro' } });
    expect(organization).toMatchObject({ response: { status: 201 }, data: { name: 'Bistro', isMfaRequired: false } });
    const organizationId = organization.data?.id ?? '';
    const joined = await client.POST('/api/organizations/{id}/users', {
      params: { path: { id: organizationId } },
      body: { userIds: [userId] },
    });
    expect(joined.response.status).toBe(201);
    const members = await client.GET('/api/organizations/{id}/users', { params: { path: { id: organizationId } } });
    expect(members.data).toMatchObject([{ id: userId, organizationRoles: [] }]);

    const hook = await client.POST('/api/hooks', {
      body: { name: 'Bell', events: ['User.Created'], config: { url: 'https://bell.example/hook' } },
    });
    expect(hook).toMatchObject({ response: { status: 201 }, data: { enabled: true, signingKey: expect.any(String) } });
    const hookId = hook.data?.id ?? '';

    const tokenTypePath = 'client-credentials' as const;
    const uploaded = await client.PUT('/api/configs/jwt-customizer/{tokenTypePath}', {
      params: { path: { tokenTypePath } },
      body: { script: SCRIPT },
    });
    expect(uploaded).toMatchObject({ response: { status: 201 }, data: { script: SCRIPT } });

    const minted = await client.POST('/api/subject-tokens', { body: { userId, context: { ticketId: 'T-9' } } });
    expect(minted).toMatchObject({ response: { status: 201 }, data: { expiresIn: 600 } });
    expect(minted.data?.subjectToken).toMatch(/^sub_/);

    const gone = [
      await client.DELETE('/api/configs/jwt-customizer/{tokenTypePath}', { params: { path: { tokenTypePath } } }),
      await client.DELETE('/api/hooks/{id}', { params: { path: { id: hookId } } }),
      await client.DELETE('/api/organizations/{id}', { params: { path: { id: organizationId } } }),
      await client.DELETE('/api/resources/{resourceId}/scopes/{scopeId}', {
        params: { path: { resourceId, scopeId } },
      }),
      await client.DELETE('/api/resources/{id}', { params: { path: { id: resourceId } } }),
      await client.DELETE('/api/roles/{id}', { params: { path: { id: roleId } } }),
      await client.DELETE('/api/users/{userId}', { params: { path: { userId } } }),
    ];
    expect(gone.map(({ response }) => response.status)).toEqual(Array(7).fill(204));
    expect((await client.GET('/api/users/{userId}', { params: { path: { userId } } })).response.status).toBe(404);
  });
});
