import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { places } from '../../src/console/places/index.ts';
import { type Administrator, csrfTokenOf } from '../../src/console/session/session.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { dumpTenant } from '../support/tenant-rows.ts';

const TOKEN = 'a-session-of-a-test';

const routes = places.flatMap(({ routes }) => routes);
const pages = routes.filter(({ isPage }) => isPage).map(({ path }) => path);
const forms = routes.filter(({ submit }) => submit).map(({ path }) => path);

/** The whole route table, with ids of nothing in it. */
const filled = (path: string) => path.replaceAll(/:\w+/g, 'nothing');

/** An administrator who manages `default`, and no other tenant. */
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
const csrf = csrfTokenOf({ token: TOKEN } as Administrator);

interface Asking {
  method?: string;
  headers?: Record<string, string>;
  fields?: Record<string, string>;
}

const ask = (path: string, { method = 'GET', headers = {}, fields }: Asking = {}) =>
  fetch(`${service.url}/console${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(fields && { body: new URLSearchParams(fields) }),
  });

describe.each([...pages, '', '/-/live?tables=users'])('GET %s', (path) => {
  it('sends whoever has no session to sign in', async () => {
    for (const cookie of ['', 'console_session=guessed']) {
      const answer = await ask(`/default${filled(path)}`, { headers: { cookie } });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toContain('/console/-/sign-in?');
    }
  });

  it('is not there for the administrator of another tenant, as for a tenant that nobody has', async () => {
    const answers = [];
    for (const tenant of ['acme', 'nobody']) {
      const answer = await ask(`/${tenant}${filled(path)}`, { headers: { cookie: COOKIE } });
      answers.push([answer.status, await answer.text()]);
    }
    expect(answers[0]?.[0]).toBe(404);
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe.each([...forms])('POST %s', (path) => {
  it.each<[string, Asking, number]>([
    ['no session', { fields: { csrf } }, 303],
    ['no token', { headers: { cookie: COOKIE }, fields: {} }, 403],
    ['a wrong token', { headers: { cookie: COOKIE }, fields: { csrf: hashOf('forged') } }, 403],
    ['another origin', { headers: { cookie: COOKIE, origin: 'https://evil.example' }, fields: { csrf } }, 403],
    ['an opaque origin', { headers: { cookie: COOKIE, origin: 'null' }, fields: { csrf } }, 403],
    ['another site', { headers: { cookie: COOKIE, 'sec-fetch-site': 'cross-site' }, fields: { csrf } }, 403],
  ])('is refused with %s, and changes nothing', async (_, asking, status) => {
    const before = await dumpTenant(database, 'default');
    const answer = await ask(`/default${filled(path)}`, { method: 'POST', ...asking });
    expect(answer.status).toBe(status);
    expect(await dumpTenant(database, 'default')).toEqual(before);
  });

  it('is not there for the administrator of another tenant', async () => {
    const answer = await ask(`/acme${filled(path)}`, { method: 'POST', headers: { cookie: COOKIE }, fields: { csrf } });
    expect(answer.status).toBe(404);
  });
});

it('signs nobody out by a forged form', async () => {
  const forged = { method: 'POST', headers: { cookie: COOKIE }, fields: { csrf: 'forged' } };
  expect((await ask('/-/sign-out', forged)).status).toBe(403);
  expect((await ask('/default', { headers: { cookie: COOKIE } })).status).toBe(303);
});

it('is served by the default tenant alone', async () => {
  expect((await fetch(`${service.url}/acme/console`, { redirect: 'manual' })).status).toBe(404);
});

describe('a sign-in', () => {
  const sealed = (answer: Response) =>
    /console_sign_in=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';

  it('is finished only by the browser that began it, with its state and a code of the console', async () => {
    const begun = await ask('/-/sign-in?to=/default');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    expect(state.length).toBeGreaterThan(20);
    for (const [query, cookie] of [
      [`code=guessed&state=${state}`, ''],
      [`code=guessed&state=${state}`, 'console_sign_in=forged'],
      ['code=guessed&state=another', sealed(begun)],
      [`code=guessed&state=${state}`, sealed(begun)],
      [`state=${state}`, sealed(begun)],
    ] as const) {
      const answer = await ask(`/-/callback?${query}`, { headers: { cookie } });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('set-cookie') ?? '').not.toContain('console_session');
    }
  });

  it('leads back into the console, wherever it was asked to lead', async () => {
    const begun = await ask('/-/sign-in?to=//evil.example');
    expect(new URL(begun.headers.get('location') ?? '').origin).toBe(service.url);
  });
});

it('is over for whoever gets a new password', async () => {
  const { id } = await service.api.must('POST /users', { username: 'pat' });
  const now = Date.now();
  const session = { id: hashOf('of-pat'), userId: id, createdAt: now, expiresAt: now + 3_600_000 };
  await new TenantStore(database, 'default').add('consoleSessions', [session]);
  await service.api.must(`PATCH /users/${id}/password`, { password: 'violet harbour ninety' });
  expect(await database.reader('consoleSessions').where({ userId: id })).toEqual([]);
});
