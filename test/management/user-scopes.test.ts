import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('the effective scopes of a user on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const scopesOf = (id: string, query = '') => service.api.call(`GET /users/${id}/scopes${query}`);
  const namesOf = async (id: string): Promise<string[]> =>
    (await scopesOf(id)).body.map(({ name }: { name: string }) => name);

  /** Creates a scope of the demonstration's resource. */
  async function scopeNamed(name: string): Promise<string> {
    const [resource] = (await service.api.must('GET /resources')).filter(
      ({ indicator }: { indicator: string }) => indicator === cast.resource,
    );
    return (await service.api.must(`POST /resources/${resource.id}/scopes`, { name })).id;
  }

  /** Returns the scopes of a token with alice as its user, if the application requests these. */
  async function granted(scopes: string[]): Promise<string[]> {
    const { subjectToken } = await service.api.must('POST /subject-tokens', { userId: cast.alice.id });
    const { body } = await cast.spa.exchange({ subject_token: subjectToken, scope: scopes.join(' ') });
    return body.scope.split(' ');
  }

  it('are those of roles and organization roles, as in a token', async () => {
    const { api } = service;
    const { alice } = cast;
    const [read, write, own, unheld] = await Promise.all(
      ['a:read', 'a:write', 'a:own', 'a:unheld'].map((name) => scopeNamed(name)),
    );
    const clerk = await api.must('POST /roles', { name: 'Clerk', description: 'c', scopeIds: [read, write] });
    await api.must('POST /roles', { name: 'Other', description: 'o', scopeIds: [unheld] });
    await api.must(`POST /users/${alice.id}/roles`, { roleIds: [clerk.id] });
    const buyer = await api.must('POST /organization-roles', { name: 'Buyer' });
    await api.must(`POST /organization-roles/${buyer.id}/resource-scopes`, { scopeIds: [write, own] });
    const organization = await api.must('POST /organizations', { name: 'Acme' });
    await api.must(`POST /organizations/${organization.id}/users`, { userIds: [alice.id] });
    const roles = `/organizations/${organization.id}/users/${alice.id}/roles`;
    await api.must(`PUT ${roles}`, { organizationRoleIds: [buyer.id] });

    const { body, headers } = await scopesOf(alice.id, '?page=1&page_size=2');
    expect(headers.get('total-number')).toBe('3');
    expect(body).toEqual([
      {
        id: own,
        name: 'a:own',
        description: null,
        resource: expect.objectContaining({ indicator: cast.resource }),
        roles: [],
        organizationRoles: [{ id: buyer.id, name: 'Buyer' }],
      },
      expect.objectContaining({ id: read, roles: [{ id: clerk.id, name: 'Clerk' }], organizationRoles: [] }),
    ]);
    const [, , both] = (await scopesOf(alice.id)).body;
    expect(both).toMatchObject({
      id: write,
      roles: [{ name: 'Clerk' }],
      organizationRoles: [{ name: 'Buyer' }],
    });
    const all = ['a:own', 'a:read', 'a:unheld', 'a:write'];
    expect(await granted(all)).toEqual(['a:own', 'a:read', 'a:write']);
    expect(await namesOf(alice.id)).toEqual(['a:own', 'a:read', 'a:write']);

    await api.must(`PATCH /organizations/${organization.id}`, { isMfaRequired: true });
    expect(await namesOf(alice.id)).toEqual(['a:read', 'a:write']);
    await api.must(`POST /users/${alice.id}/mfa-verifications`, { type: 'Totp' });
    expect(await namesOf(alice.id)).toEqual(['a:own', 'a:read', 'a:write']);
  });

  it('are empty without roles, and unknown for an unknown user', async () => {
    const { id } = await service.api.must('POST /users', { username: 'nobody' });
    expect(await namesOf(id)).toEqual([]);
    expect(await scopesOf('nobody')).toMatchObject({ status: 404, body: { code: 'entity.not_found' } });
  });
});
