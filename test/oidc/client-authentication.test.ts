import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import { TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { type Answer, postForm } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

describe.each(databases)('client authentication on %s', (kind) => {
  let service: TestService;
  let machine: { clientId: string; clientSecret: string };
  beforeAll(async () => {
    service = await startService(kind);
    machine = service.credentials.machine;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const token = (
    form: Record<string, string | undefined> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    postForm(
      `${service.url}/oidc/token`,
      { grant_type: 'client_credentials', resource: service.credentials.managementApiIndicator, scope: 'all', ...form },
      headers,
    );

  it('accepts the secret in the header or in the body', async () => {
    expect((await token({}, basic(machine.clientId, machine.clientSecret))).status).toBe(200);
    expect((await token({ client_id: machine.clientId, client_secret: machine.clientSecret })).status).toBe(200);
  });

  it('decodes the header by RFC 6749 §2.3.1: form-encoded, in any letter case, padded or not', async () => {
    const encode = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const { authorization } = basic(encode(machine.clientId), encode(machine.clientSecret));
    for (const header of [authorization, authorization.replace('Basic', 'bASIC'), authorization.replace(/=+$/, '')])
      expect((await token({}, { authorization: header })).status).toBe(200);
    expect((await token({ client_id: machine.clientId }, { authorization })).status).toBe(200);
  });

  it('returns the same error for every failed authentication, with a challenge when Basic was used', async () => {
    const { demo } = service.credentials;
    const answers = [
      await token({}, basic('nobody', 'x')),
      await token({}, basic(machine.clientId, 'wrong')),
      await token({ client_id: machine.clientId }),
      await token({ client_id: demo.clientId, client_secret: 'x' }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(answers[0]?.body);
      expect(body).toMatchObject({ error: 'invalid_client', code: 'oidc.invalid_client', message: expect.any(String) });
    }
    expect(answers[0]?.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(answers[2]?.headers.get('www-authenticate')).toBeNull();
  });

  it.each([
    ['no client id', {}, {}],
    ['a malformed Basic header', {}, { authorization: 'Basic %%%' }],
    ['another scheme', {}, { authorization: 'Digest abc' }],
    ['two client ids', { client_id: 'other' }, undefined],
    ['a header and a secret in the body', { client_secret: 'x' }, undefined],
    ['a Basic header without a colon', {}, { authorization: `Basic ${btoa('machine')}` }],
    ['a Basic header without a secret', {}, basic('machine', '')],
    ['a Basic header with too much padding', {}, { authorization: 'Basic bTp4===' }],
    ['a Basic header that is no form encoding', {}, basic('m%zz', 'x')],
    ['a Basic header with a line break', {}, basic('m%0A', 'x')],
    ['a Basic header with more than that', {}, { authorization: `Basic ${btoa('m:x')} ${btoa('m:x')}` }],
  ])('refuses %s as an invalid request', async (_, form, headers) => {
    const { status, body } = await token(form, headers ?? basic(machine.clientId, machine.clientSecret));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['no client id', {}],
    ['a Basic header that is no form encoding', basic('m%zz', 'x')],
    ['a Basic header without a client id', basic('', 'x')],
    ['a wrong secret', basic('nobody', 'x')],
  ])('refuses %s in the same words for every grant', async (_, headers) => {
    const grants = ['client_credentials', 'refresh_token', TOKEN_EXCHANGE, 'authorization_code', 'password', ''];
    const answers = await Promise.all(grants.map((grant_type) => token({ grant_type }, headers)));
    for (const { status, headers, body } of answers)
      expect([status, headers.get('www-authenticate'), body]).toEqual([
        answers[0]?.status,
        answers[0]?.headers.get('www-authenticate'),
        answers[0]?.body,
      ]);
  });

  it('refuses grants that a client may not use', async () => {
    const refused = await token({ grant_type: 'authorization_code' }, basic(machine.clientId, machine.clientSecret));
    expect([refused.status, refused.body.error]).toEqual([400, 'unauthorized_client']);
    const unknown = await token({ grant_type: 'password' }, basic(machine.clientId, machine.clientSecret));
    expect([unknown.status, unknown.body.error]).toEqual([400, 'unsupported_grant_type']);
  });

  it('accepts any live secret of an application, but no expired or deleted one', async () => {
    const { id } = await service.api.must('POST /applications', { name: 'Worker', type: 'MachineToMachine' });
    const use = (secret: string) =>
      token({ resource: 'https://worker.example.com', scope: undefined }, basic(id, secret));
    await service.api.must('POST /resources', { name: 'Worker', indicator: 'https://worker.example.com' });

    const first = await service.api.must(`POST /applications/${id}/secrets`, { name: 'first' });
    const second = await service.api.must(`POST /applications/${id}/secrets`, { name: 'second' });
    const expired = await service.api.must(`POST /applications/${id}/secrets`, {
      name: 'expired',
      expiresAt: service.time.now() + MINUTE_MS,
    });
    for (const { value } of [first, second, expired]) expect((await use(value)).status).toBe(200);

    await service.api.must(`DELETE /applications/${id}/secrets/second`);
    expect((await use(second.value)).status).toBe(401);
    service.time.pass(MINUTE_MS);
    expect((await use(expired.value)).status).toBe(401);
    expect((await use(first.value)).status).toBe(200);
  });

  it('responds with an OAuth error at every endpoint when it fails to check a secret', async () => {
    const { id } = await service.api.must('POST /applications', { name: 'Broken', type: 'MachineToMachine' });
    const { value } = await service.api.must(`POST /applications/${id}/secrets`, { name: 'unreadable' });
    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    await database.write((db) => db('applicationSecrets').where({ applicationId: id }).update({ valueEncrypted: 'x' }));
    await database.close();
    for (const path of ['token', 'token/introspection', 'token/revocation', 'request']) {
      const form = { grant_type: 'client_credentials', token: 'x' };
      const failed = await postForm(`${service.url}/oidc/${path}`, form, basic(id, value));
      expect([path, failed.status]).toEqual([path, 500]);
      expect(failed.body).toMatchObject({ error: 'server_error', code: 'oidc.server_error' });
      expect(failed.body.requestId).toEqual(expect.any(String));
      expect(failed.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('grants the scopes of the roles of an application, and needs a resource unless there is a default one', async () => {
    const credentials = basic(machine.clientId, machine.clientSecret);
    expect((await token({ scope: 'all more' }, credentials)).body.scope).toBe('all');
    expect((await token({ resource: undefined }, credentials)).body.error).toBe('invalid_target');
    const resource = await service.api.must('POST /resources', {
      name: 'Default',
      indicator: 'https://default.example.com',
    });
    await service.api.must(`PATCH /resources/${resource.id}/is-default`, { isDefault: true });
    const { status, body } = await token({ resource: undefined, scope: undefined }, credentials);
    expect(status).toBe(200);
    expect(JSON.parse(atob(body.access_token.split('.')[1]))).toMatchObject({
      aud: 'https://default.example.com',
      sub: machine.clientId,
    });
  });
});
