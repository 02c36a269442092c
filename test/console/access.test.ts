import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { routes } from '../../src/console/places/index.ts';
import { formTokenOf } from '../../src/console/session/form-token.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
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
let administratorId: string;
let formToken: string;

beforeAll(async () => {
  service = await startService('sqlite');
  database = connect({ databaseUrl: undefined, dataDir: service.dataDir, poolSize: 2 });
  const { id: userId } = await service.api.must('POST /users', { username: 'ada' });
  administratorId = userId;
  formToken = formTokenOf({ token: TOKEN, id: userId });
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
/** Stands for the token of the session's forms, which names the administrator. */
const csrf = 'the token of this session';

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
    ...(fields && { body: new URLSearchParams({ ...fields, ...(fields.csrf === csrf && { csrf: formToken }) }) }),
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

describe('a form of an ended session', () => {
  const path = '/default/directory/roles/new';
  const keptIn = async (response: Response) => /name="kept" value="([^"]+)"/.exec(await response.text())?.[1] ?? '';

  it('is kept sealed, only if a page of the console sent it', async () => {
    const fields = {
      csrf: `${hashOf('old')}.${administratorId}`,
      name: 'Kept',
      code: 'never kept',
      secretField: 'code',
    };
    const origin = service.url;
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin, 'sec-fetch-site': 'cross-site' }]) {
      const response = await send(path, { method: 'POST', headers: headers as Record<string, string>, fields });
      expect(response.status).toBe(303);
    }
    const response = await send(path, { method: 'POST', headers: { origin }, fields });
    expect(response.status).toBe(401);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.clone().text()).not.toMatch(/Kept|never kept/);

    const kept = await keptIn(response);
    const headers = { cookie: COOKIE, origin };
    const shown = await send(path, { method: 'POST', headers, fields: { kept } });
    expect(shown.status).toBe(200);
    const text = await shown.text();
    expect(text).toContain('value="Kept"');
    expect(text).not.toContain('never kept');
    expect(await service.api.must('GET /roles?search=%25Kept%25')).toEqual([]);

    // Not from another site, not for another form, and not for the form of another administrator.
    const forged = { method: 'POST', headers: { cookie: COOKIE, origin: 'https://evil.example' }, fields: { kept } };
    expect((await send(path, forged)).status).toBe(403);
    expect((await send('/default/directory/resources/new', { method: 'POST', headers, fields: { kept } })).status).toBe(
      303,
    );
    const other = { ...fields, csrf: `${hashOf('old')}.somebody` };
    const ofOther = await keptIn(await send(path, { method: 'POST', headers: { origin }, fields: other }));
    expect((await send(path, { method: 'POST', headers, fields: { kept: ofOther } })).status).toBe(303);
    expect((await send(path, { method: 'POST', headers, fields: other })).status).toBe(403);
  });

  it('leads back to the page that it belongs to', async () => {
    const fields = { csrf: `${hashOf('old')}.${administratorId}` };
    for (const [form, to] of [
      ['/default/claims/access-token/review', '/default/claims/access-token'],
      ['/default/directory/users/x/suspend', '/default/directory/users/x'],
      ['/default/directory/users/x/roles/remove', '/default/directory/users/x'],
    ] as const) {
      const response = await send(form, { method: 'POST', headers: { origin: service.url }, fields });
      expect(await response.text()).toContain(`data-kept="/console${to}"`);
    }
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
