import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { type Answer, postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** Behavior that all of our own grants share. Client authentication has its own file. */
describe.each(databases)('the token endpoint on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let machine: { client_id: string; client_secret: string };
  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    const { clientId, clientSecret } = service.credentials.machine;
    machine = { client_id: clientId, client_secret: clientSecret };
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const send = (form: Record<string, string | string[]>, headers: Record<string, string> = {}): Promise<Answer> =>
    postForm(`${service.url}/oidc/token`, form, headers);
  const ofMachine = (form: Record<string, string | string[]> = {}, headers: Record<string, string> = {}) => {
    const resource = service.credentials.managementApiIndicator;
    return send({ grant_type: 'client_credentials', resource, scope: 'all', ...machine, ...form }, headers);
  };

  const exchangeForm = async () => ({
    grant_type: TOKEN_EXCHANGE,
    client_id: cast.spa.clientId,
    subject_token: await cast.mint(),
    subject_token_type: ACCESS_TOKEN,
    resource: cast.resource,
  });

  it('issues a machine-to-machine application a token for its resource (RFC 9068)', async () => {
    const { status, headers, body } = await ofMachine({ scope: 'more all all' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const { access_token: token, ...rest } = body;
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: 'all' });
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    const { iat = 0, ...claims } = decodeJwt(token);
    expect(claims).toEqual({
      jti: expect.stringMatching(/^[0-9a-z]{21}$/),
      sub: machine.client_id,
      client_id: machine.client_id,
      exp: iat + 3600,
      iss: `${service.url}/oidc`,
      aud: service.credentials.managementApiIndicator,
      scope: 'all',
    });
  });

  it('returns the granted scope, even if it is empty', async () => {
    const { body } = await ofMachine({ scope: 'unheld' });
    expect(body.scope).toBe('');
    expect(decodeJwt(body.access_token).scope).toBe('');
  });

  it.each([
    ['a resource that is not registered', { resource: 'https://unknown.example.com' }, 'invalid_target'],
    ['no resource, where the tenant has no default', { resource: '' }, 'invalid_target'],
    ['two resources', { resource: ['https://a.example.com', 'https://b.example.com'] }, 'invalid_target'],
    ['a scope sent twice', { scope: ['all', 'all'] }, 'invalid_request'],
    ['a client id sent twice', { client_id: ['a', 'a'] }, 'invalid_request'],
    ['a secret sent twice', { client_secret: ['a', 'a'] }, 'invalid_request'],
    ['a grant type sent twice', { grant_type: ['client_credentials', 'client_credentials'] }, 'invalid_request'],
    ['a scope with a quotation mark', { scope: 'a"b' }, 'invalid_scope'],
    ['a scope with two spaces', { scope: 'a  b' }, 'invalid_scope'],
    ['an empty grant type', { grant_type: '' }, 'invalid_request'],
    ['the name of an object member as grant type', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['__proto__ as grant type', { grant_type: '__proto__' }, 'unsupported_grant_type'],
  ])('refuses %s', async (_, form, error) => {
    const { status, headers, body } = await ofMachine(form);
    expect([status, body.error, body.code]).toEqual([400, error, `oidc.${error}`]);
    expect(body.message).toBe(body.error_description);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is at exactly one path', async () => {
    for (const path of ['TOKEN', 'Token', 'token/', '%74oken', 'token/introspection/', 'token/Introspection']) {
      const { status, body } = await postForm(`${service.url}/oidc/${path}`, { grant_type: 'client_credentials' });
      expect([path, status, body.code]).toEqual([path, 404, 'request.not_found']);
    }
  });

  it('refuses client ids that are too long and clients that were deleted', async () => {
    const refused = [401, 'invalid_client'];
    const long = await ofMachine({ client_id: 'a'.repeat(50_000) });
    expect([long.status, long.body.error]).toEqual(refused);

    const { id } = await service.api.must('POST /applications', { name: 'Gone', type: 'SPA' });
    await service.api.must(`PATCH /applications/${id}`, { customClientMetadata: { allowTokenExchange: true } });
    const form = { ...(await exchangeForm()), client_id: id };
    expect((await send({ ...form, subject_token: 'sub_unknown' })).status).toBe(400);
    await service.api.must(`DELETE /applications/${id}`);
    const gone = await send(form);
    expect([gone.status, gone.body.error]).toEqual(refused);
  });

  it('ignores unknown parameters and empty ones', async () => {
    expect((await ofMachine({ unknown: ['1', '2'], organization_id: '' })).status).toBe(200);
  });

  it('names the reason when an application may not use a grant', async () => {
    const exchange = await exchangeForm();
    const asMachine = await send({ ...exchange, ...machine });
    expect(asMachine).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
    expect(asMachine.body.error_description).toContain('allowTokenExchange');
    const asSpa = await send({ grant_type: 'client_credentials', client_id: cast.spa.clientId });
    expect(asSpa).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  it('allows the origins of an application to read responses, and no others', async () => {
    const own = new URL(service.credentials.demo.redirectUri).origin;
    const answer = await send(await exchangeForm(), { origin: own });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(own);
    expect(answer.headers.get('vary')).toBe('Origin');

    const form = await exchangeForm();
    const foreign = await send(form, { origin: 'https://evil.example.com' });
    expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect((await send(form)).status).toBe(200); // The subject token was not spent.

    const preflight = await fetch(`${service.url}/oidc/token`, {
      method: 'OPTIONS',
      headers: { origin: own, 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, own]);
  });

  it('does not allow the opaque origin, even for an application with custom-scheme redirect URIs', async () => {
    const { id } = await service.api.must('POST /applications', {
      name: 'Phone',
      type: 'Native',
      oidcClientMetadata: { redirectUris: ['com.example.app:/callback', 'com.example.app://callback'] },
      customClientMetadata: { allowTokenExchange: true },
    });
    for (const form of [await exchangeForm(), { grant_type: 'refresh_token', refresh_token: 'x' }]) {
      const refused = await send({ ...form, client_id: id }, { origin: 'null' });
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('does not confuse a resource named default with the default resource, not even in its cache', async () => {
    const { id } = await service.api.must('POST /resources', { name: 'Default', indicator: 'https://default.example' });
    await service.api.must(`PATCH /resources/${id}/is-default`, { isDefault: true });
    const named = async () => (await ofMachine({ resource: 'default' })).body.error;
    const unnamed = async () => decodeJwt((await ofMachine({ resource: '' })).body.access_token).aud;
    expect(await named()).toBe('invalid_target'); // Nothing is cached yet.
    expect(await unnamed()).toBe('https://default.example');
    expect(await named()).toBe('invalid_target');
    await service.api.must(`DELETE /resources/${id}`);
  });

  it('records issued and refused tokens with the application', async () => {
    const headers = { 'user-agent': `recorder of ${kind}` };
    const { id: organizationId } = await service.api.must('POST /organizations', { name: 'Acme' });
    await service.api.must(`POST /organizations/${organizationId}/applications`, {
      applicationIds: [machine.client_id],
    });
    await ofMachine({ resource: '', organization_id: organizationId }, headers);
    await ofMachine({ client_secret: 'wrong' }, headers);
    const entries = async () =>
      (await service.api.must('GET /logs?logKey=ExchangeTokenBy.ClientCredentials&page_size=100')).filter(
        ({ payload }: { payload: { userAgent: string } }) => payload.userAgent === headers['user-agent'],
      );
    await expect.poll(entries).toHaveLength(2);
    const of = async (result: string) =>
      (await entries()).find(({ payload }: { payload: { result: string } }) => payload.result === result);
    const [issued, refused] = [await of('Success'), await of('Error')];
    expect(issued.payload).toMatchObject({
      result: 'Success',
      applicationId: machine.client_id,
      details: { resource: `urn:logto:organization:${organizationId}`, scope: '' },
    });
    expect(refused.payload).toMatchObject({
      result: 'Error',
      applicationId: machine.client_id,
      details: { error: 'invalid_client', description: 'invalid secret provided' },
    });
  });
});
