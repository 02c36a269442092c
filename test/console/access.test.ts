import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { routes } from '../../src/console/places/index.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { csrfTokenOf } from '../../src/http/csrf.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { dumpTenant } from '../support/tenant-rows.ts';

const TOKEN = 'a-session-of-a-test';

const pages = routes.filter(({ isPage }) => isPage).map(({ path }) => path);
const forms = routes.filter(({ submit }) => submit).map(({ path }) => path);

/** A path with ids that do not exist. */
const filled = (path: string) => path.replaceAll(/:\w+/g, 'nothing');

/** The only administrator manages tenant `default` only. */
let service: TestService;
let database: Database;

beforeAll(async () => {
  service = await startService('sqlite');
  database = connect({ databaseUrl: undefined, dataDir: service.dataDir, poolSize: 2 });
  const { id: userId } = await service.api.must('POST /users', { username: 'ada' });
  const store = new TenantStore(database, 'default');
  const now = Date.now();
  await store.add('administrators', [{ userId, managedTenantId: 'default', createdAt: now }]);
  await store.add('consoleSessions', [{ id: hashOf(TOKEN), userId, createdAt: now, expiresAt: now + 3_600_000 }]);
  await database.write(async (db) => {
    await db('tenants').insert({ id: 'acme', name: 'Acme', settings: '{}', createdAt: now });
    await db('tenantEndpoints').insert({ url: `${service.url}/acme`, tenantId: 'acme', position: 0 });
  });
});
afterAll(async () => {
  await database.close();
  await service[Symbol.asyncDispose]();
});

const COOKIE = `console_session=${TOKEN}`;
const csrf = csrfTokenOf(TOKEN);

interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  fields?: Record<string, string>;
}

const send = (path: string, { method = 'GET', headers = {}, fields }: RequestOptions = {}) =>
  fetch(`${service.url}/console${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(fields && { body: new URLSearchParams(fields) }),
  });

describe.each([...pages, '', '/-/live?tables=users', '/-/find?q=ada', '/-/export/users.csv'])('GET %s', (path) => {
  it('redirects to the sign-in without a valid session', async () => {
    for (const cookie of ['', 'console_session=guessed']) {
      const response = await send(`/default${filled(path)}`, { headers: { cookie } });
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toContain('/console/-/sign-in?');
    }
  });

  it('responds 404 to the administrator of another tenant, as for an unknown tenant', async () => {
    const responses = [];
    for (const tenant of ['acme', 'nobody']) {
      const response = await send(`/${tenant}${filled(path)}`, { headers: { cookie: COOKIE } });
      responses.push([response.status, await response.text()]);
    }
    expect(responses[0]?.[0]).toBe(404);
    expect(responses[0]).toEqual(responses[1]);
  });
});

describe.each([...forms])('POST %s', (path) => {
  it.each<[string, RequestOptions, number]>([
    ['no session', { fields: { csrf } }, 303],
    ['no token', { headers: { cookie: COOKIE }, fields: {} }, 403],
    ['a wrong token', { headers: { cookie: COOKIE }, fields: { csrf: hashOf('forged') } }, 403],
    ['another origin', { headers: { cookie: COOKIE, origin: 'https://evil.example' }, fields: { csrf } }, 403],
    ['an opaque origin', { headers: { cookie: COOKIE, origin: 'null' }, fields: { csrf } }, 403],
    ['another site', { headers: { cookie: COOKIE, 'sec-fetch-site': 'cross-site' }, fields: { csrf } }, 403],
  ])('rejects a request with %s and changes nothing', async (_, options, status) => {
    const before = await dumpTenant(database, 'default');
    const response = await send(`/default${filled(path)}`, { method: 'POST', ...options });
    expect(response.status).toBe(status);
    expect(await dumpTenant(database, 'default')).toEqual(before);
  });

  it('responds 404 to the administrator of another tenant', async () => {
    const response = await send(`/acme${filled(path)}`, {
      method: 'POST',
      headers: { cookie: COOKIE },
      fields: { csrf },
    });
    expect(response.status).toBe(404);
  });
});

it('rejects a forged sign-out form', async () => {
  const forged = { method: 'POST', headers: { cookie: COOKIE }, fields: { csrf: 'forged' } };
  expect((await send('/-/sign-out', forged)).status).toBe(403);
  expect((await send('/default', { headers: { cookie: COOKIE } })).status).toBe(303);
});

it('serves the console at the default tenant only', async () => {
  expect((await fetch(`${service.url}/acme/console`, { redirect: 'manual' })).status).toBe(404);
});

describe('a sign-in', () => {
  const sealed = (response: Response) =>
    /console_sign_in=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? '';

  it('can be completed only in the browser that started it, with its state and a valid code', async () => {
    const begun = await send('/-/sign-in?to=/default');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    expect(state.length).toBeGreaterThan(20);
    for (const [query, cookie] of [
      [`code=guessed&state=${state}`, ''],
      [`code=guessed&state=${state}`, 'console_sign_in=forged'],
      ['code=guessed&state=another', sealed(begun)],
      [`code=guessed&state=${state}`, sealed(begun)],
      [`state=${state}`, sealed(begun)],
    ] as const) {
      const response = await send(`/-/callback?${query}`, { headers: { cookie } });
      expect(response.status).toBe(400);
      expect(response.headers.get('set-cookie') ?? '').not.toContain('console_session');
    }
  });

  it('never redirects to another origin', async () => {
    const begun = await send('/-/sign-in?to=//evil.example');
    expect(new URL(begun.headers.get('location') ?? '').origin).toBe(service.url);
  });
});

it('ends console sessions when the password is changed', async () => {
  const { id } = await service.api.must('POST /users', { username: 'pat' });
  const now = Date.now();
  const session = { id: hashOf('of-pat'), userId: id, createdAt: now, expiresAt: now + 3_600_000 };
  await new TenantStore(database, 'default').add('consoleSessions', [session]);
  await service.api.must(`PATCH /users/${id}/password`, { password: 'violet harbour ninety' });
  expect(await database.reader('consoleSessions').where({ userId: id })).toEqual([]);
});
