import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, getJson, postForm } from '../support/call.ts';
import { type Cast, castOf, verifyAccessToken } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** Behavior that oidc-provider would get wrong if mounted without our endpoint in front of it. */
describe.each(databases)('the token service on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const machineHeaders = () => {
    const { clientId, clientSecret } = service.credentials.machine;
    return { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  };
  const machineToken = async () =>
    (
      await postForm(
        `${service.url}/oidc/token`,
        { grant_type: 'client_credentials', resource: service.credentials.managementApiIndicator, scope: 'all' },
        machineHeaders(),
      )
    ).body.access_token as string;
  const introspect = (token: string, headers = machineHeaders()): Promise<Answer> =>
    postForm(`${service.url}/oidc/token/introspection`, { token }, headers);
  const revoke = (token: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm(`${service.url}/oidc/token/revocation`, { token, ...form }, headers);

  it('returns its own host in discovery, regardless of request headers', async () => {
    for (const headers of [
      { 'x-forwarded-host': 'evil.example.com' },
      { forwarded: 'host=evil.example.com' },
      { 'x-forwarded-proto': 'https' },
    ]) {
      const document = await (await fetch(`${service.url}/oidc/.well-known/openid-configuration`, { headers })).text();
      expect(document).not.toContain('evil');
      expect(JSON.parse(document)).toMatchObject({
        issuer: `${service.url}/oidc`,
        jwks_uri: `${service.url}/oidc/jwks`,
      });
    }
  });

  it('publishes enabled features in discovery and no disabled ones', async () => {
    const inserted = await fetch(`${service.url}/.well-known/oauth-authorization-server/oidc`);
    const document = await getJson(`${service.url}/oidc/.well-known/openid-configuration`);
    expect(await inserted.json()).toEqual(document);
    expect(document.grant_types_supported).toEqual([
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ]);
    expect(document.response_types_supported).toEqual(['code']);
    expect(document).not.toHaveProperty('dpop_signing_alg_values_supported');
  });

  it('serves protected resource metadata of the Management API and refers to it in 401 responses', async () => {
    const refused = await fetch(`${service.url}/api/users`);
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(url).toBe(`${service.url}/.well-known/oauth-protected-resource/api`);
    expect(await getJson(url)).toMatchObject({
      resource: service.credentials.managementApiIndicator,
      authorization_servers: [`${service.url}/oidc`],
      scopes_supported: ['all'],
      bearer_methods_supported: ['header'],
    });
  });

  it('allows caching of the JWKS, which has no private parts', async () => {
    const response = await fetch(`${service.url}/oidc/jwks`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    for (const key of (await getJson(`${service.url}/oidc/jwks`)).keys) {
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
      expect(key).not.toHaveProperty('d');
    }
  });

  it.each(['client_id', 'resource', 'refresh_token', 'scope', 'subject_token'])(
    'refuses U+0000 in %s',
    async (name) => {
      const { status, body } = await postForm(
        `${service.url}/oidc/token`,
        { grant_type: 'client_credentials', [name]: 'a\u0000b' },
        machineHeaders(),
      );
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      const authorize = await fetch(`${service.url}/oidc/auth?${name}=a%00b`, { redirect: 'manual' });
      expect(authorize.status).toBe(400);
    },
  );

  it('limits a body to 56 KiB, announced or not', async () => {
    const large = { grant_type: 'client_credentials', scope: 'x'.repeat(57 * 1024) };
    const { status, body, headers } = await postForm(`${service.url}/oidc/token`, large, machineHeaders());
    expect([status, body.error, headers.get('cache-control')]).toEqual([413, 'invalid_request', 'no-store']);
    const chunked = await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: { ...machineHeaders(), 'content-type': 'application/x-www-form-urlencoded' },
      body: new Blob([new URLSearchParams(large).toString()]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it('returns an error as JSON even if the client accepts HTML', async () => {
    const { status, body } = await postForm(`${service.url}/oidc/token`, { grant_type: 'x' }, { accept: 'text/html' });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('introspects its JWTs, including the actor', async () => {
    const { body } = await cast.spa.exchange({
      subject_token: await cast.mint(),
      actor_token: await cast.spa.signIn(cast.alice),
    });
    expect((await introspect(body.access_token)).body).toMatchObject({
      active: true,
      sub: cast.bob.id,
      act: { sub: cast.alice.id },
      client_id: cast.spa.clientId,
      scope: cast.scope,
      token_type: 'Bearer',
    });
  });

  it('lets an application introspect only its own tokens', async () => {
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint() });
    const { id } = await service.api.must('POST /applications', { name: 'Nosy', type: 'Traditional' });
    const { value } = await service.api.must(`POST /applications/${id}/secrets`, { name: 'one' });
    const nosy = { authorization: `Basic ${btoa(`${id}:${value}`)}` };
    const opaque = await cast.spa.signIn(cast.alice);
    for (const token of [body.access_token, opaque, await machineToken()])
      expect((await introspect(token, nosy)).body).toEqual({ active: false });
  });

  it('reports forged, altered and malformed tokens as inactive', async () => {
    const [header, payload, signature] = (await machineToken()).split('.') as [string, string, string];
    const swapped = (name: string, value: unknown) =>
      `${btoa(JSON.stringify({ ...JSON.parse(atob(header)), [name]: value })).replaceAll('=', '')}.${payload}.${signature}`;
    for (const token of [
      `${header}.${payload}.AAAA`,
      swapped('alg', 'none'),
      swapped('kid', 'other'),
      swapped('typ', 'JWT'),
      'a.b.c',
    ]) {
      expect((await introspect(token)).body).toEqual({ active: false });
    }
  });

  it('revokes a JWT at once, in introspection and in the public list', async () => {
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint() });
    const { jti } = await verifyAccessToken(service, body.access_token, cast.resource);
    // The token belongs to another client, so nothing happens.
    expect((await revoke(body.access_token, {}, machineHeaders())).status).toBe(200);
    expect((await introspect(body.access_token)).body.active).toBe(true);

    expect((await revoke(body.access_token, { client_id: cast.spa.clientId })).status).toBe(200);
    expect((await introspect(body.access_token)).body).toEqual({ active: false });
    const list = await fetch(`${service.url}/oidc/revoked-tokens`);
    expect(list.headers.get('cache-control')).toBe('public, max-age=1');
    expect((await getJson(`${service.url}/oidc/revoked-tokens`)).tokens).toContainEqual({
      jti,
      exp: expect.any(Number),
    });
    const etag = list.headers.get('etag') as string;
    expect(
      (
        await fetch(`${service.url}/oidc/revoked-tokens`, {
          headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
        })
      ).status,
    ).toBe(304);
    const { body: rows } = await service.api.call(`GET /impersonations?subjectId=${cast.bob.id}&page_size=100`);
    expect(rows.find(({ id }: { id: string }) => id === jti)).toMatchObject({
      revokedAt: expect.any(Number),
      revokedBy: cast.spa.clientId,
    });
    const [log] = await service.api.must('GET /logs?logKey=Impersonation.End');
    expect(log.payload).toMatchObject({
      userId: cast.bob.id,
      applicationId: cast.spa.clientId,
      details: { impersonationId: jti, reason: 'revoked' },
    });
  });

  it('does not let a claims script set active, token_type or username in introspection', async () => {
    const claims = `{ active: false, token_type: 'mac', username: 'mallory', plan: 'gold' }`;
    await service.api.must('PUT /configs/jwt-customizer/access-token', {
      script: `const getCustomJwtClaims = async () => (${claims});`,
    });
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint() });
    expect((await introspect(body.access_token)).body).toMatchObject({
      active: true,
      token_type: 'Bearer',
      plan: 'gold',
    });
    const issued = await verifyAccessToken(service, body.access_token, cast.resource);
    for (const name of ['active', 'token_type', 'username']) expect(issued).not.toHaveProperty(name);
    const dropped = async () =>
      (await service.api.must('GET /configs/jwt-customizer/access-token/runs'))[0]?.droppedClaims.toSorted();
    await expect.poll(dropped).toEqual(['active', 'token_type', 'username']);
    await service.api.must('DELETE /configs/jwt-customizer/access-token');
  });

  it('revokes a JWT that is not an impersonation', async () => {
    const token = await machineToken();
    expect((await introspect(token)).body.active).toBe(true);
    await revoke(token, {}, machineHeaders());
    expect((await introspect(token)).body).toEqual({ active: false });
  });
});
