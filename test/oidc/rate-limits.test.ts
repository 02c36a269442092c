import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** The tests set the address of each request in a header, like a trusted proxy. */
const BEHIND_PROXY = { TRUST_PROXY: 'loopback' };
const from = (address: string) => ({ 'x-forwarded-for': address });
const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

const ask = ({ url }: TestService, headers: Record<string, string>, form: Record<string, string> = {}) =>
  postForm(`${url}/oidc/token`, { grant_type: 'client_credentials', ...form }, headers);

const unknown = (service: TestService, client_id: string, address: string) =>
  ask(service, from(address), { client_id });

/** A client credentials request of the first machine-to-machine application, with its own or another secret. */
function machine(service: TestService, address: string, secret = service.credentials.machine.clientSecret) {
  const { clientId } = service.credentials.machine;
  const resource = service.credentials.managementApiIndicator;
  return ask(service, { ...basic(clientId, secret), ...from(address) }, { resource, scope: 'all' });
}

async function statuses(count: number, send: (index: number) => Promise<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) seen.push((await send(index)).status);
  return seen;
}

describe.each(databases)('rate limits on %s', (kind) => {
  /** One service per limit of a client. The tests share them: each starts a minute of its own. */
  let services: Record<'two' | 'three', TestService>;
  beforeAll(async () => {
    services = {
      two: await startService(kind, { ...BEHIND_PROXY, RATE_LIMIT_TOKEN: '2' }),
      three: await startService(kind, { ...BEHIND_PROXY, RATE_LIMIT_TOKEN: '3' }),
    };
  });
  afterAll(async () => {
    for (const service of Object.values(services)) await service[Symbol.asyncDispose]();
  });

  it('limit one client at one address, but not the same client elsewhere', async () => {
    const service = services.three;
    service.time.startMinute();
    expect(await statuses(5, () => machine(service, '192.0.2.1'))).toEqual([200, 200, 200, 429, 429]);

    const refused = await machine(service, '192.0.2.1');
    expect(refused.body).toMatchObject({ error: 'temporarily_unavailable', code: 'oidc.temporarily_unavailable' });
    expect(refused.headers.get('ratelimit-limit')).toBe('3');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const reset = Number(refused.headers.get('ratelimit-reset'));
    expect(reset > 0 && reset <= 60).toBe(true);
    expect(refused.headers.get('retry-after')).toBe(String(reset));
    expect((await machine(service, '192.0.2.2')).status).toBe(200);
    // Other clients at its address are not limited with it.
    expect((await unknown(service, 'another', '192.0.2.1')).status).toBe(401);
  });

  it('do not let unauthenticated requests use up the limit of a client or the tenant', async () => {
    const service = services.two;
    service.time.startMinute();
    // The tenant's limit is 50 times the limit of one client.
    const anonymous = await statuses(110, (index) => unknown(service, `unknown${index}`, '198.51.100.7'));
    expect(anonymous.slice(0, 3)).toEqual([401, 401, 429]);
    expect(new Set(anonymous.slice(2))).toEqual(new Set([429]));
    const many = await statuses(110, (index) => unknown(service, 'x', `198.51.100.${100 + index}`));
    expect(new Set(many)).toEqual(new Set([401]));
    expect((await machine(service, '203.0.113.1')).status).toBe(200);
  });

  it('do not lock a client out elsewhere because of wrong secrets from one address', async () => {
    const service = services.two;
    service.time.startMinute();
    expect(await statuses(4, () => machine(service, '198.51.100.7', 'wrong'))).toEqual([401, 401, 429, 429]);
    expect(await statuses(2, () => machine(service, '203.0.113.1'))).toEqual([200, 200]);
  });

  it('do not limit an authenticated client because of unauthenticated requests from its address', async () => {
    const service = services.three;
    const web = await registerApplication(service, 'Traditional');
    service.time.startMinute();
    const address = '198.51.100.7';
    const anonymous = await statuses(5, (index) => unknown(service, `unknown${index}`, address));
    expect(anonymous).toEqual([401, 401, 401, 429, 429]);
    // With the secret in the header and in the body, at our own grants and at oidc-provider's.
    const { clientId, clientSecret } = service.credentials.machine;
    const resource = service.credentials.managementApiIndicator;
    const post = { client_id: clientId, client_secret: clientSecret, resource, scope: 'all' };
    expect((await machine(service, address)).status).toBe(200);
    expect((await ask(service, from(address), post)).status).toBe(200);
    const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: web.redirectUri };
    expect(
      (await ask(service, { ...basic(web.clientId, web.clientSecret as string), ...from(address) }, code)).body.error,
    ).toBe('invalid_grant');
    for (const at of ['introspection', 'revocation'])
      for (const [headers, form] of [
        [basic(clientId, clientSecret), {}],
        [{}, { client_id: clientId, client_secret: clientSecret }],
      ] as const) {
        const sent = { token: 'x', ...form };
        const { status } = await postForm(`${service.url}/oidc/token/${at}`, sent, { ...headers, ...from(address) });
        expect([at, status]).toEqual([at, 200]);
      }
    // Its own limit still applies, and so does the address's limit for unauthenticated requests.
    expect(await statuses(2, () => machine(service, address))).toEqual([200, 429]);
    expect((await unknown(service, 'another', address)).status).toBe(429);
  });

  it('do not let an address over its limit keep guessing the secret of a client', async () => {
    const service = services.two;
    service.time.startMinute();
    const address = '198.51.100.7';
    expect(await statuses(3, (index) => unknown(service, `unknown${index}`, address))).toEqual([401, 401, 429]);
    expect(await statuses(3, () => machine(service, address, 'wrong'))).toEqual([429, 429, 429]);
    expect((await machine(service, address)).status).toBe(429);
    expect((await machine(service, '203.0.113.1')).status).toBe(200);
  });

  it.each(['introspection', 'revocation'])('count wrong secrets at %s with those at the token endpoint', async (at) => {
    const service = services.two;
    service.time.startMinute();
    const { clientId, clientSecret } = service.credentials.machine;
    const send = (secret: string, address = '198.51.100.7') =>
      postForm(`${service.url}/oidc/token/${at}`, { token: 'x' }, { ...basic(clientId, secret), ...from(address) });
    expect(await statuses(3, () => send('wrong'))).toEqual([401, 401, 429]);
    expect((await machine(service, '198.51.100.7', 'wrong')).status).toBe(429);
    // Requests of an authenticated client are not limited here.
    expect(await statuses(5, () => send(clientSecret, '203.0.113.1'))).toEqual([200, 200, 200, 200, 200]);
  });

  it('count one IPv6 network as one address, and IPv4 in IPv6 as the IPv4 address', async () => {
    const service = services.three;
    service.time.startMinute();
    const sameNetwork = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:DB8::1:0:0:0:3', '2001:db8:0:1::4'];
    expect(await statuses(4, (index) => unknown(service, `a${index}`, sameNetwork[index] as string))).toEqual([
      401, 401, 401, 429,
    ]);
    expect((await unknown(service, 'a', '2001:db8:0:2::1')).status).toBe(401);
    const sameAddress = ['192.0.2.9', '::ffff:192.0.2.9', '::ffff:c000:209', '192.0.2.9'];
    expect(await statuses(4, (index) => unknown(service, `b${index}`, sameAddress[index] as string))).toEqual([
      401, 401, 401, 429,
    ]);
  });

  it('recognize a client id in any encoding', async () => {
    const service = services.three;
    service.time.startMinute();
    const { clientId, clientSecret } = service.credentials.machine;
    const [first = '', ...rest] = clientId;
    const escaped = `%${first.charCodeAt(0).toString(16)}${rest.join('')}`;
    const resource = service.credentials.managementApiIndicator;
    const written = [clientId, escaped, clientId, escaped];
    const send = (index: number) =>
      ask(service, { ...basic(written[index] as string, clientSecret), ...from('192.0.2.1') }, { resource });
    expect(await statuses(4, send)).toEqual([200, 200, 200, 429]);
  });

  it('count the refresh requests of a client once it has authenticated', async () => {
    const service = services.three;
    const { clientId, secret } = await (async () => {
      const application = { name: 'Web', type: 'Traditional' };
      const { id } = await service.api.must('POST /applications', application);
      const { value } = await service.api.must(`POST /applications/${id}/secrets`, { name: 'one' });
      return { clientId: id as string, secret: value as string };
    })();
    service.time.startMinute();
    const refresh = (value: string, address: string) =>
      ask(
        service,
        { ...basic(clientId, value), ...from(address) },
        { grant_type: 'refresh_token', refresh_token: 'x' },
      );
    expect(await statuses(4, () => refresh('wrong', '198.51.100.7'))).toEqual([401, 401, 401, 429]);
    expect(await statuses(4, () => refresh(secret, '203.0.113.1'))).toEqual([400, 400, 400, 429]);
    expect((await unknown(service, 'another', '203.0.113.1')).status).toBe(401);
  });

  it('limit the subject tokens of one application', async () => {
    await using service = await startService(kind, { RATE_LIMIT_SUBJECT_TOKENS: '2' });
    const { mint, bob } = castOf(service);
    service.time.startMinute();
    await mint();
    await mint();
    const { status, body, headers } = await service.api.call('POST /subject-tokens', { userId: bob.id });
    expect([status, body.code]).toEqual([429, 'request.rate_limited']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await service.api.call('GET /subject-tokens')).status).toBe(200);
  });
});

it('rate limits count across all processes with one PostgreSQL', async () => {
  const env = { ...BEHIND_PROXY, RATE_LIMIT_TOKEN: '6' };
  await using first = await startService('postgres', env);
  const shared = { url: first.databaseUrl, dataDir: first.dataDir, [Symbol.asyncDispose]: async () => {} };
  await using second = await startService('postgres', env, shared);
  for (const service of [first, second]) service.time.startMinute();
  expect(await statuses(5, () => unknown(first, 'roaming', '192.0.2.1'))).toEqual([401, 401, 401, 401, 401]);
  // Client ids that the database would refuse, or could confuse with each other.
  for (const id of [`${'a'.repeat(63)}😀`, `${'b'.repeat(300)}1`, `${'b'.repeat(300)}2`])
    expect((await unknown(first, id, '192.0.2.2')).status).toBe(401);
  const nul = { authorization: `Basic ${btoa('a\0:x')}` };
  expect((await postForm(`${first.url}/oidc/token`, { grant_type: 'refresh_token' }, nul)).status).toBe(400);
  // The second process learns of the first one's requests when it shares its own, which alone are below the limit.
  let own = 0;
  const status = async () => {
    own += 1;
    return (await unknown(second, 'roaming', '192.0.2.1')).status;
  };
  await expect.poll(status, { interval: 1_000 }).toBe(429);
  expect(own).toBeLessThan(6);
  const refused = await unknown(second, 'roaming', '192.0.2.1');
  expect(Number(refused.headers.get('ratelimit-remaining'))).toBe(0);
});
