import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { sweepExpired } from '../../src/database/retention.ts';
import { postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** Endpoints that make the service write for anonymous callers. */
describe.each(databases)('the public endpoints on %s', (kind) => {
  let service: TestService;
  let database: Database;
  beforeAll(async () => {
    service = await startService(kind, { TRUST_PROXY: 'loopback', RATE_LIMIT_AUTHORIZATION: '3' });
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const parameters = (besides: Record<string, string> = {}) => {
    const { clientId, redirectUri } = service.credentials.demo;
    return {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      ...besides,
    };
  };
  const open = (path: string, address: string, besides: Record<string, string> = {}, accept = '*/*') =>
    fetch(`${service.url}/oidc${path}?${new URLSearchParams(parameters(besides))}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': address, accept },
    });
  const push = (address: string, besides: Record<string, string> = {}) =>
    postForm(`${service.url}/oidc/request`, parameters(besides), { 'x-forwarded-for': address });

  it.each(['/auth', '/session/end'])(
    'limits the requests of one address at %s, and of no other address',
    async (path) => {
      service.time.startMinute();
      const address = path === '/auth' ? '198.51.100.1' : '198.51.100.2';
      for (let request = 0; request < 3; request += 1) expect((await open(path, address)).status).toBeLessThan(400);
      const refused = await open(path, address);
      expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '3']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const page = await open(path, address, {}, 'text/html');
      expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
      expect((await open(path, '203.0.113.1')).status).toBeLessThan(400);
    },
  );

  it('limits the pushed requests of one address, unless their client has authenticated', async () => {
    const { id } = await service.api.must('POST /applications', {
      name: 'Web',
      type: 'Traditional',
      oidcClientMetadata: { redirectUris: ['http://localhost:4400/callback'] },
    });
    const { value } = await service.api.must(`POST /applications/${id}/secrets`, { name: 'one' });
    service.time.startMinute();
    for (let request = 0; request < 3; request += 1) expect((await push('198.51.100.3')).status).toBe(201);
    const refused = await push('198.51.100.3');
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    const proven = { client_id: id as string, client_secret: value as string };
    for (let request = 0; request < 5; request += 1) expect((await push('198.51.100.4', proven)).status).toBe(201);
  });

  it('refuses an authorization request that is too large', async () => {
    for (const [besides, description] of [
      [{ state: 'x'.repeat(2049) }, 'state is longer than 2048 characters'],
      [{ nonce: 'x'.repeat(2049) }, 'nonce is longer than 2048 characters'],
      [{ login_hint: 'x'.repeat(8192) }, 'the request is larger than 8192 bytes'],
    ] as const) {
      const asked = await open('/auth', '203.0.113.2', besides);
      expect([asked.status, await asked.json()]).toMatchObject([
        400,
        { error: 'invalid_request', error_description: description },
      ]);
      const posted = await postForm(`${service.url}/oidc/request`, parameters(besides), {
        'x-forwarded-for': '203.0.113.3',
      });
      expect([posted.status, posted.body.error_description]).toEqual([400, description]);
    }
    expect((await open('/auth', '203.0.113.4', { state: 'x'.repeat(2048) })).status).toBe(303);
  });

  it('lets sessions without a user expire within an hour', async () => {
    const before = await database.reader('oidcPayloads').where({ model: 'Session' }).select('id');
    expect((await open('/session/end', '203.0.113.5')).status).toBe(200);
    const after: { id: string; expiresAt: number }[] = await database
      .reader('oidcPayloads')
      .where({ model: 'Session' })
      .select('id', 'expiresAt');
    const made = after.filter(({ id }) => !before.some((known: { id: string }) => known.id === id));
    for (const { expiresAt } of made) expect(expiresAt).toBeLessThanOrEqual(service.time.now() + 60 * 60 * 1000);
  });

  it.each([['gzip'], ['deflate'], ['x-unknown'], ['identity, gzip']].map(([one], index) => [one as string, index]))(
    'refuses a form in content encoding %s with 415',
    async (encoding, index) => {
      for (const path of ['/token', '/token/introspection', '/token/revocation', '/request']) {
        const { status, body } = await postForm(
          `${service.url}/oidc${path}`,
          { grant_type: 'client_credentials' },
          { 'content-encoding': encoding as string, 'x-forwarded-for': `203.0.113.1${index}` },
        );
        expect([path, status, body.error]).toEqual([path, 415, 'invalid_request']);
      }
    },
  );

  it('counts anonymous refusals together in the audit log, but records each of an authenticated client or known user', async () => {
    service.time.startMinute();
    const { machine, demo } = service.credentials;
    const basic = (secret: string) => ({ authorization: `Basic ${btoa(`${machine.clientId}:${secret}`)}` });
    const send = (form: Record<string, string>, headers: Record<string, string> = {}) =>
      postForm(`${service.url}/oidc/token`, form, { 'x-forwarded-for': '192.0.2.77', ...headers });
    for (let request = 0; request < 20; request += 1) {
      await send({ grant_type: 'client_credentials', client_id: `unknown${request}` });
      await send({ grant_type: 'client_credentials', resource: 'x' }, basic('wrong'));
      await send({ grant_type: 'refresh_token', client_id: demo.clientId, refresh_token: `r${request}` });
    }
    for (let request = 0; request < 5; request += 1)
      await send(
        { grant_type: 'client_credentials', resource: 'https://nowhere.example' },
        basic(machine.clientSecret),
      );
    const { mint, spa, bob } = castOf(service);
    const subject_token = await mint();
    await spa.exchange({ subject_token });
    for (let request = 0; request < 3; request += 1) await spa.exchange({ subject_token });

    const rows = async (where: object): Promise<{ expiresAt: number | null; payload: { description: string } }[]> =>
      database
        .reader('auditLog')
        .where({ result: 'Error', ...where })
        .select('expiresAt', 'payload', 'userId');
    await expect.poll(() => rows({ key: 'Impersonation.Refused', userId: bob.id })).toHaveLength(3);
    const ofMachine = { key: 'ExchangeTokenBy.ClientCredentials', applicationId: machine.clientId, ip: '192.0.2.77' };
    const known = await rows(ofMachine);
    const invalidTarget = known.filter(({ payload }) => JSON.stringify(payload).includes('invalid_target'));
    expect(invalidTarget.map(({ expiresAt }) => expiresAt)).toEqual([null, null, null, null, null]);
    const anonymous = (await rows({ ip: '192.0.2.77' })).filter(({ expiresAt }) => expiresAt !== null);
    expect(anonymous).toHaveLength(3); // The first of each kind is written at once; the others are counted.

    await sweepExpired(database, Date.now() + 8 * DAY_MS);
    expect((await rows({ ip: '192.0.2.77' })).length).toBe(5);
  });
});

it('writes the count of anonymous refusals when the service stops', async () => {
  await using service = await startService('sqlite');
  service.time.startMinute();
  for (let request = 0; request < 7; request += 1)
    await postForm(`${service.url}/oidc/token`, { grant_type: 'client_credentials', client_id: 'unknown' });
  const shared = { url: service.databaseUrl, dataDir: service.dataDir, [Symbol.asyncDispose]: async () => {} };
  await service.stop();
  await using again = await startService('sqlite', {}, shared);
  const database = connect({ databaseUrl: again.databaseUrl, dataDir: again.dataDir, poolSize: 1 });
  const rows: { payload: string }[] = await database.reader('auditLog').where({ result: 'Error' }).select('payload');
  await database.close();
  expect(rows.map(({ payload }) => (payload as unknown as { count?: number }).count).sort()).toEqual([6, undefined]);
});
