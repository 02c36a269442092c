import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../../scripts/support/sign-in.ts';
import { type Answer, postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('organization tokens on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let organizationId: string;
  let other: string;

  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    const { api } = service;
    await api.must(`PATCH /applications/${cast.spa.clientId}`, {
      customClientMetadata: { allowTokenExchange: true, alwaysIssueRefreshToken: true },
    });
    organizationId = (await api.must('POST /organizations', { name: 'Acme' })).id;
    other = (await api.must('POST /organizations', { name: 'Other' })).id;
    const manage = await api.must('POST /organization-scopes', { name: 'manage:members' });
    await api.must('POST /organization-scopes', { name: 'unheld' });
    const [resource] = (await api.must('GET /resources')).filter(
      ({ indicator }: { indicator: string }) => indicator === cast.resource,
    );
    const write = await api.must(`POST /resources/${resource.id}/scopes`, { name: 'write:orders' });
    const role = await api.must('POST /organization-roles', {
      name: 'Manager',
      organizationScopeIds: [manage.id],
      resourceScopeIds: [write.id],
    });
    for (const { id } of [cast.alice, cast.bob]) {
      await api.must(`POST /organizations/${organizationId}/users`, { userIds: [id] });
      await api.must(`POST /organizations/${organizationId}/users/${id}/roles`, { organizationRoleIds: [role.id] });
    }
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const refreshTokenOf = async (scope: string): Promise<string> => {
    const { demo } = service.credentials;
    const { tokens } = await signIn({
      endpoint: service.url,
      clientId: demo.clientId,
      redirectUri: demo.redirectUri,
      person: cast.alice,
      scope,
    });
    return tokens.refresh_token as string;
  };
  const refresh = (token: string, form: Record<string, string>): Promise<Answer> =>
    postForm(`${service.url}/oidc/token`, {
      grant_type: 'refresh_token',
      client_id: cast.spa.clientId,
      refresh_token: token,
      ...form,
    });

  it('are issued by an exchange, for the organization or for a resource within it', async () => {
    const alone = await cast.spa.exchange({
      subject_token: await cast.mint(),
      resource: undefined,
      organization_id: organizationId,
      scope: 'manage:members unheld',
    });
    expect(decodeJwt(alone.body.access_token)).toMatchObject({
      aud: `urn:logto:organization:${organizationId}`,
      organization_id: organizationId,
      scope: 'manage:members',
      sub: cast.bob.id,
    });
    const within = await cast.spa.exchange({
      subject_token: await cast.mint(),
      organization_id: organizationId,
      scope: `write:orders ${cast.scope}`,
    });
    expect(decodeJwt(within.body.access_token)).toMatchObject({
      aud: cast.resource,
      organization_id: organizationId,
      scope: 'write:orders',
    });
    const everywhere = await cast.spa.exchange({
      subject_token: await cast.mint(),
      scope: `write:orders ${cast.scope}`,
    });
    expect(everywhere.body.scope).toBe(`write:orders ${cast.scope}`);
    expect(decodeJwt(everywhere.body.access_token)).not.toHaveProperty('organization_id');
  });

  it('are refused to users who are not members', async () => {
    const { status, body } = await cast.spa.exchange({ subject_token: await cast.mint(), organization_id: other });
    expect([status, body.error]).toEqual([403, 'access_denied']);
  });

  it('are issued for a refresh token with the organizations scope', async () => {
    const token = await refreshTokenOf('openid offline_access urn:logto:scope:organizations manage:members');
    const { status, body } = await refresh(token, { organization_id: organizationId });
    expect(status).toBe(200);
    expect(decodeJwt(body.access_token)).toMatchObject({
      aud: `urn:logto:organization:${organizationId}`,
      organization_id: organizationId,
      sub: cast.alice.id,
    });
    for (let time = 0; time < 2; time += 1) {
      const outside = await refresh(body.refresh_token, { organization_id: other });
      expect([outside.status, outside.body.error]).toEqual([403, 'access_denied']);
    }
    expect((await refresh(body.refresh_token, {})).status).toBe(200); // A refusal does not spend the token.
  });

  it('are refused when the organization is named as a resource, with or without membership', async () => {
    const token = await refreshTokenOf('openid offline_access urn:logto:scope:organizations manage:members');
    const resource = `urn:logto:organization:${organizationId}`;
    for (const organization_id of [other, organizationId]) {
      const { status, body } = await refresh(token, { resource, organization_id });
      expect([status, body.error]).toEqual([400, 'invalid_target']);
    }
    const { id } = await service.api.must('POST /organizations', { name: 'Third' });
    await service.api.must(`POST /organizations/${id}/users`, { userIds: [cast.alice.id] });
    const another = await refreshTokenOf('openid offline_access urn:logto:scope:organizations manage:members');
    const again = await refresh(another, { resource, organization_id: id });
    expect([again.status, again.body.error]).toEqual([400, 'invalid_target']);
  });

  it('are refused for a refresh token without the organizations scope', async () => {
    const { status, body } = await refresh(await refreshTokenOf('openid offline_access'), {
      organization_id: organizationId,
    });
    expect([status, body.error, body.error_description]).toEqual([
      403,
      'insufficient_scope',
      'refresh token lacks scope urn:logto:scope:organizations',
    ]);
  });

  it('are issued to a machine-to-machine application that is a member', async () => {
    const { machine } = service.credentials;
    const ask = () =>
      postForm(
        `${service.url}/oidc/token`,
        { grant_type: 'client_credentials', organization_id: organizationId },
        { authorization: `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}` },
      );
    expect((await ask()).status).toBe(403);
    await service.api.must(`POST /organizations/${organizationId}/applications`, {
      applicationIds: [machine.clientId],
    });
    const { body } = await ask();
    expect(decodeJwt(body.access_token)).toMatchObject({
      aud: `urn:logto:organization:${organizationId}`,
      organization_id: organizationId,
      sub: machine.clientId,
    });
  });
});
