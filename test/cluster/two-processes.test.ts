import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getJson, postForm } from '../support/call.ts';
import { type Cast, castOf, verifyAccessToken } from '../support/cast.ts';
import { createMigrated, type Database } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { Balancer } from './balancer.ts';

/** Shorter than the lifetime of a cache entry (5 s), and long enough for a busy machine. */
const AT_ONCE = { timeout: 3_500, interval: 20 };

let database: Database;
let balancer: Balancer;
let first: TestService;
let second: TestService;
let cast: Cast;

beforeAll(async () => {
  database = await createMigrated('postgres');
  balancer = await Balancer.start();
  const env = { ENDPOINT: balancer.url, RATE_LIMIT_TOKEN: '1000000' };
  first = await startService('postgres', env, database);
  second = await startService('postgres', env, database);
  cast = castOf(first);
  inTurn();
});
afterAll(async () => {
  await second?.[Symbol.asyncDispose]();
  await first?.[Symbol.asyncDispose]();
  await balancer?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const inTurn = () => balancer.setTargets(first.localUrl, second.localUrl);

/** Sends the requests of `work` to only one of the two processes. */
async function inProcess<T>(service: TestService, work: () => Promise<T>): Promise<T> {
  balancer.setTargets(service.localUrl);
  try {
    return await work();
  } finally {
    inTurn();
  }
}

const authorizationOf = (who: 'machine' | 'operator' = 'machine') => {
  const { clientId, clientSecret } = first.credentials[who];
  return { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
};
const machineToken = (scope = 'all', headers = authorizationOf()) =>
  postForm(
    `${balancer.url}/oidc/token`,
    { grant_type: 'client_credentials', resource: first.credentials.managementApiIndicator, scope },
    headers,
  );

it('share a sign-in and the whole flow after it, with alternating requests', async () => {
  for (let round = 0; round < 3; round += 1) {
    const subjectToken = await cast.mint({ context: { ticketId: 'T-1' } });
    const actorToken = await cast.spa.signIn(cast.alice);
    const { status, body } = await cast.spa.exchange({ subject_token: subjectToken, actor_token: actorToken });
    expect([status, body.error]).toEqual([200, undefined]);
    const claims = await verifyAccessToken(first, body.access_token, cast.resource);
    expect(claims).toMatchObject({ sub: cast.bob.id, act: { sub: cast.alice.id } });
    balancer.setTargets(second.localUrl, first.localUrl); // In the opposite order in the next round.
  }
  inTurn();
  expect(Math.min(...balancer.requestCounts)).toBeGreaterThan(10);
});

it('accept a subject token created by the other process, once', async () => {
  const subject_token = await inProcess(first, () => cast.mint());
  const exchange = () => cast.spa.exchange({ subject_token });
  expect((await inProcess(second, exchange)).status).toBe(200);
  expect((await inProcess(first, exchange)).body.error_description).toBe('subject token was already used');
});

it('both report a revoked impersonation', async () => {
  const subject_token = await inProcess(first, () => cast.mint());
  const { body } = await inProcess(second, () => cast.spa.exchange({ subject_token }));
  const { jti } = await verifyAccessToken(first, body.access_token, cast.resource);
  const isActive = async () =>
    (await postForm(`${balancer.url}/oidc/token/introspection`, { token: body.access_token }, authorizationOf())).body
      .active;
  expect(await inProcess(second, isActive)).toBe(true);
  await inProcess(first, () => first.api.must(`POST /impersonations/${jti}/revoke`));
  expect(await inProcess(second, isActive)).toBe(false);
  const revoked = await inProcess(second, () => getJson(`${balancer.url}/oidc/revoked-tokens`));
  expect(JSON.stringify(revoked)).toContain(jti);
});

it('both refuse a token at the Management API once one of them has revoked it', async () => {
  const { access_token: token } = (await machineToken()).body;
  const read = async () =>
    (await fetch(`${balancer.url}/api/roles`, { headers: { authorization: `Bearer ${token}` } })).status;
  const change = () => postForm(`${balancer.url}/oidc/token/revocation`, { token }, authorizationOf());
  await expectAtOnce({ read, change, before: 200, after: 401 });
});

/**
 * Calls `read` in one process before and after `change` in the other, so that the first has just cached the old value.
 */
async function expectAtOnce<T>(options: {
  read: () => Promise<T>;
  change: () => Promise<unknown>;
  before: T;
  after: T;
}) {
  const { read, change, before, after } = options;
  expect(await inProcess(second, read)).toEqual(before);
  await inProcess(first, change);
  await expect.poll(() => inProcess(second, read), AT_ONCE).toEqual(after);
}

it('both refuse a deleted client secret at once', async () => {
  const { id } = await first.api.must('POST /applications', { name: 'Nightly', type: 'MachineToMachine' });
  const { value } = await first.api.must(`POST /applications/${id}/secrets`, { name: 'main' });
  const headers = { authorization: `Basic ${btoa(`${id}:${value}`)}` };
  const read = async () => (await machineToken('all', headers)).status;
  const change = () => first.api.must(`DELETE /applications/${id}/secrets/main`);
  await expectAtOnce({ read, change, before: 200, after: 401 });
});

it('both apply a new script and the deletion of a resource at once', async () => {
  const claimsOf = async () => {
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint() });
    return body.error ?? (await verifyAccessToken(first, body.access_token, cast.resource)).plan;
  };
  const path = '/configs/jwt-customizer/access-token';
  const script = (plan: string) => ({ script: `const getCustomJwtClaims = async () => ({ plan: '${plan}' });` });
  await first.api.must(`PUT ${path}`, script('silver'));
  await expect.poll(() => inProcess(second, claimsOf), AT_ONCE).toBe('silver');
  await expectAtOnce({
    read: claimsOf,
    change: () => first.api.must(`PUT ${path}`, script('gold')),
    before: 'silver',
    after: 'gold',
  });

  const [resource] = (await first.api.must('GET /resources?page_size=100')).filter(
    ({ indicator }: { indicator: string }) => indicator === cast.resource,
  );
  const change = () => first.api.must(`DELETE /resources/${resource.id}`);
  await expectAtOnce({ read: claimsOf, change, before: 'gold', after: 'invalid_target' });
});

it('sign with the same key, even right after an immediate rotation', async () => {
  const keyOf = async () => decodeProtectedHeader((await machineToken()).body.access_token).kid;
  const published = async () =>
    (await getJson(`${balancer.url}/oidc/jwks`)).keys.map(({ kid }: { kid: string }) => kid);
  const old = (await inProcess(second, () => machineToken())).body.access_token;
  const isAccepted = async () =>
    (await fetch(`${balancer.url}/api/users`, { headers: { authorization: `Bearer ${old}` } })).status;
  expect(await inProcess(second, isAccepted)).toBe(200);
  const [current, previous] = await inProcess(first, () =>
    first.api.must('POST /configs/oidc/private-keys/rotate', { immediately: true }),
  );
  await expect.poll(() => inProcess(second, keyOf), AT_ONCE).toBe(current.id);
  expect(await inProcess(second, isAccepted)).toBe(200);
  await inProcess(first, () => first.api.must(`DELETE /configs/oidc/private-keys/${previous.id}`));
  await expect.poll(() => inProcess(second, published), AT_ONCE).not.toContain(previous.id);
  expect(await inProcess(second, isAccepted)).toBe(401);
});

it('serve a new tenant at once, and stop when it is deleted', async () => {
  const { body } = await postForm(
    `${balancer.url}/oidc/token`,
    { grant_type: 'client_credentials', resource: `${balancer.url}/admin/api`, scope: 'tenants' },
    authorizationOf('operator'),
  );
  const operate = async (method: string, path: string, json?: object) => {
    const headers = { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${balancer.url}/admin/api/tenants${path}`, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
    });
    expect(answer.status).toBeLessThan(300);
  };
  const endpoint = `${balancer.url}/acme`;
  const issuer = async () => {
    const answer = await fetch(`${endpoint}/oidc/.well-known/openid-configuration`);
    const { issuer } = (await answer.json()) as { issuer?: string };
    return issuer ?? answer.status;
  };
  const changes = [
    { before: 404, change: () => operate('POST', '', { id: 'acme', name: 'Acme', endpoints: [endpoint] }) },
    { before: `${endpoint}/oidc`, change: () => operate('PATCH', '/acme', { isSuspended: true }) },
    { before: 403, change: () => operate('PATCH', '/acme', { isSuspended: false }) },
    { before: `${endpoint}/oidc`, change: () => operate('DELETE', '/acme') },
  ];
  for (const [index, { before, change }] of changes.entries())
    await expectAtOnce({ read: issuer, change, before, after: changes[index + 1]?.before ?? 404 });
});
