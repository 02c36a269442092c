import LogtoClient, { type Storage } from '@logto/node';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Visitor } from '../sign-in/visitor.ts';
import type { Answer } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import {
  askToken,
  codeGrant,
  type OAuthApplication,
  REDIRECT_URI,
  registerApplication,
} from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const RESERVED = 'urn:logto:resource:organizations';
const SCOPE = 'openid offline_access urn:logto:scope:organizations read:things write:things';

function memory(): Storage<string> {
  const items = new Map<string, string>();
  return {
    getItem: async (key: string) => items.get(key) ?? null,
    setItem: async (key: string, value: string) => void items.set(key, value),
    removeItem: async (key: string) => void items.delete(key),
  };
}

describe.each(databases)('organization scopes on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let spa: OAuthApplication;
  let web: OAuthApplication;
  let machine: OAuthApplication;
  /** Alice may read and administer in the first, may write in the second, and is not a member of the third. */
  let first: string;
  let second: string;
  let third: string;
  /** A resource scope that Alice and the machine-to-machine application have in the first organization. */
  const within = 'write:orders';

  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    const { api } = service;
    const make = async (route: string, body: object): Promise<string> => (await api.must(`POST ${route}`, body)).id;
    const permission = (name: string) => make('/organization-scopes', { name });
    const [read, write, administer] = [
      await permission('read:things'),
      await permission('write:things'),
      await permission('administer:things'),
    ];
    const known: { id: string; indicator: string }[] = await api.must('GET /resources');
    const orders = known.find(({ indicator }) => indicator === cast.resource)?.id;
    const scope = await make(`/resources/${orders}/scopes`, { name: within });
    const role = (name: string, fields: object) => make('/organization-roles', { name, ...fields });
    const reader = await role('Reader', { organizationScopeIds: [read, administer], resourceScopeIds: [scope] });
    const writer = await role('Writer', { organizationScopeIds: [write] });
    const robot = await role('Robot', {
      type: 'MachineToMachine',
      organizationScopeIds: [read],
      resourceScopeIds: [scope],
    });
    [first, second, third] = [
      await make('/organizations', { name: 'First' }),
      await make('/organizations', { name: 'Second' }),
      await make('/organizations', { name: 'Third' }),
    ];
    for (const [organization, roleId] of [
      [first, reader],
      [second, writer],
    ]) {
      await api.must(`POST /organizations/${organization}/users`, { userIds: [cast.alice.id, cast.bob.id] });
      const roles = { userIds: [cast.alice.id, cast.bob.id], organizationRoleIds: [roleId] };
      await api.must(`POST /organizations/${organization}/users/roles`, roles);
    }
    spa = await registerApplication(service, 'SPA');
    web = await registerApplication(service, 'Traditional');
    const id = await make('/applications', { name: 'Importer', type: 'MachineToMachine' });
    const { value } = await api.must(`POST /applications/${id}/secrets`, { name: 'test' });
    machine = { clientId: id, clientSecret: value, redirectUri: '' };
    await api.must(`POST /organizations/${first}/applications`, { applicationIds: [id] });
    const roles = { organizationRoleIds: [robot] };
    await api.must(`POST /organizations/${first}/applications/${id}/roles`, roles);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const refusalOf = ({ status, body }: Answer) => [status, body.error, body.error_description];
  const refreshTokenOf = async (application: OAuthApplication, parameters = {}): Promise<string> =>
    (await codeGrant(service, application, { scope: SCOPE, resource: RESERVED, ...parameters })).body.refresh_token;
  const refresh = (application: OAuthApplication, token: string, form: Record<string, string>) =>
    askToken(service, application, { grant_type: 'refresh_token', refresh_token: token, ...form });
  const machineToken = (form: Record<string, string>) =>
    askToken(service, machine, { grant_type: 'client_credentials', ...form });

  it("signs in with @logto/node, whose organization token has the user's scopes there", async () => {
    const { clientId: appId, clientSecret: appSecret } = web;
    let target = '';
    const navigate = (url: string) => {
      target = url;
    };
    const client = new LogtoClient(
      {
        endpoint: `${service.url}/`,
        appId,
        appSecret: appSecret as string,
        scopes: ['urn:logto:scope:organizations', 'read:things', 'write:things'],
        resources: [cast.resource],
      },
      { navigate, storage: memory() },
    );
    await client.signIn({ redirectUri: REDIRECT_URI });
    expect(new URL(target).searchParams.getAll('resource')).toContain(RESERVED);
    const visitor = new Visitor(service.url);
    await visitor.open(target);
    await visitor.submit('identifier', { identifier: cast.alice.username });
    await visitor.submit('password', { password: cast.alice.password });
    await client.handleSignInCallback(String(visitor.left));

    expect(await client.getOrganizationTokenClaims(first)).toMatchObject({
      aud: `urn:logto:organization:${first}`,
      scope: 'read:things',
    });
    expect(await client.getOrganizationTokenClaims(second)).toMatchObject({ scope: 'write:things' });
    const [one, other] = await Promise.all([client.getAccessToken(cast.resource), client.getAccessToken()]);
    expect([decodeJwt(one).aud, other.split('.').length]).toEqual([cast.resource, 1]);
    await expect(client.getOrganizationToken(third)).rejects.toMatchObject({ code: 'oidc.access_denied' });
    expect((await client.getIdTokenClaims()).organizations).toEqual(expect.arrayContaining([first, second]));
  });

  it('issues oauth4webapi an organization token with only the requested scopes', async () => {
    const server = { issuer: `${service.url}/oidc`, token_endpoint: `${service.url}/oidc/token` };
    const client = { client_id: spa.clientId, id_token_signed_response_alg: 'ES256' };
    const ask = async (token: string, form: Record<string, string>) => {
      const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, {
        additionalParameters: form,
        [oauth.allowInsecureRequests]: true,
      });
      return oauth.processRefreshTokenResponse(server, client, response);
    };
    const all = await ask(await refreshTokenOf(spa), { organization_id: first });
    expect(all.scope).toBe('read:things'); // Alice may also administer, but the sign-in did not request that.
    expect(decodeJwt(all.access_token)).toMatchObject({ organization_id: first, scope: 'read:things' });
    const narrow = await ask(all.refresh_token as string, { organization_id: first, scope: 'read:things' });
    expect(narrow.scope).toBe('read:things');
    const none = await ask(narrow.refresh_token as string, { organization_id: first, scope: 'write:things' });
    expect(none.scope).toBe('');
    await expect(
      ask(none.refresh_token as string, { organization_id: first, scope: 'administer:things' }),
    ).rejects.toMatchObject({ error: 'invalid_scope' });
  });

  it('omits a scope that was removed from the role', async () => {
    const token = await refreshTokenOf(web);
    const { id } = await service.api.must('POST /organization-scopes', { name: 'late:things' });
    const before = await refreshTokenOf(web, { scope: `${SCOPE} late:things` });
    expect((await refresh(web, before, { organization_id: first })).body.scope).toBe('read:things');
    const [role] = await service.api.must(`GET /organizations/${first}/users/${cast.alice.id}/roles`);
    await service.api.must(`POST /organization-roles/${role.id}/scopes`, { organizationScopeIds: [id] });
    expect((await refresh(web, before, { organization_id: first })).body.scope).toBe('read:things late:things');
    expect((await refresh(web, token, { organization_id: first })).body.scope).toBe('read:things');
    await service.api.must(`DELETE /organization-roles/${role.id}/scopes/${id}`);
    expect((await refresh(web, before, { organization_id: first })).body.scope).toBe('read:things');
  });

  it('omits scopes that the user lacks from a token for the reserved resource', async () => {
    const anywhere = await refresh(web, await refreshTokenOf(web), { resource: RESERVED });
    expect(decodeJwt(anywhere.body.access_token)).toMatchObject({ aud: RESERVED, scope: 'read:things write:things' });
    const exchanged = await cast.spa.exchange({
      subject_token: await cast.mint(),
      resource: RESERVED,
      organization_id: second,
      scope: 'read:things write:things',
    });
    expect(decodeJwt(exchanged.body.access_token)).toMatchObject({ scope: 'write:things', organization_id: second });
  });

  it('applies the organization when an application also names a resource', async () => {
    for (const organization_id of ['nonsense', second])
      expect(refusalOf(await machineToken({ resource: cast.resource, organization_id }))).toEqual([
        403,
        'access_denied',
        'the application is not a member of the organization',
      ]);
    const scope = `${within} ${cast.scope} read:things`;
    const { body } = await machineToken({ resource: cast.resource, organization_id: first, scope });
    expect(decodeJwt(body.access_token)).toMatchObject({
      aud: cast.resource,
      organization_id: first,
      scope: within,
      sub: machine.clientId,
    });
    expect((await machineToken({ resource: cast.resource, scope })).body.scope).toBe('');
    expect((await machineToken({ resource: cast.resource, organization_id: first })).body.scope).toBe('');
  });

  it('refuses an organization that is named as a resource', async () => {
    const resource = `urn:logto:organization:${first}`;
    const reason = `resource ${resource} is not registered`;
    expect(refusalOf(await machineToken({ resource }))).toEqual([400, 'invalid_target', reason]);
    const exchanged = await cast.spa.exchange({ subject_token: await cast.mint(), resource });
    expect(refusalOf(exchanged)).toEqual([400, 'invalid_target', reason]);
    const refreshed = await refresh(web, await refreshTokenOf(web), { resource, organization_id: first });
    expect(refusalOf(refreshed)).toEqual([400, 'invalid_target', `resource ${resource} was not requested at sign-in`]);
  });

  it('refuses a user without a second factor where the organization requires one', async () => {
    const token = await refreshTokenOf(spa);
    await service.api.must(`PATCH /organizations/${first}`, { isMfaRequired: true });
    const reason = (who: string) => `the organization requires MFA, but the ${who} has no second factor`;
    const subject_token = await cast.mint();
    for (const resource of [undefined, cast.resource]) {
      const refused = await cast.spa.exchange({ subject_token, resource, organization_id: first });
      expect(refusalOf(refused)).toEqual([403, 'access_denied', reason('subject')]);
    }
    expect(refusalOf(await refresh(spa, token, { organization_id: first }))).toEqual([
      403,
      'access_denied',
      reason('user'),
    ]);
    expect((await cast.spa.exchange({ subject_token: await cast.mint(), organization_id: second })).status).toBe(200);

    await service.api.must(`POST /users/${cast.alice.id}/mfa-verifications`, { type: 'BackupCode' });
    expect((await refresh(spa, token, { organization_id: first })).status).toBe(403);
    for (const { id } of [cast.alice, cast.bob])
      await service.api.must(`POST /users/${id}/mfa-verifications`, { type: 'Totp' });
    expect((await refresh(spa, token, { organization_id: first })).status).toBe(200);
    expect((await cast.spa.exchange({ subject_token, resource: undefined, organization_id: first })).status).toBe(200);
    await service.api.must(`PATCH /organizations/${first}`, { isMfaRequired: false });
  });
});
