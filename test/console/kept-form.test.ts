import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveRole } from '../../src/admin/administrators.ts';
import { hashOf } from '../../src/base/ids.ts';
import { formTokenOf } from '../../src/console/session/form-token.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const TOKEN = 'session-of-the-author';
/** A body of 1 MB is refused. */
const NEARLY_1_MB = 1_000_000;

describe.each(databases)('forms of the console, sent by hand, on %s', (kind) => {
  let service: TestService;
  let database: Database;
  let csrf: string;
  let customer: string;
  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    const store = new TenantStore(database, 'default');
    const now = Date.now();
    const { id } = await service.api.must('POST /users', { username: 'author' });
    customer = (await service.api.must('POST /users', { username: 'customer' })).id;
    await giveRole(store, id, { tenantIds: ['default'], role: 'owner' }, { by: 'command', now });
    const session = { id: hashOf(TOKEN), userId: id, createdAt: now, expiresAt: now + 3_600_000 };
    await store.add('consoleSessions', [session]);
    csrf = formTokenOf({ token: TOKEN, id });
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const url = (path: string) => `${service.url}/console/default${path}`;
  const send = async (path: string, body: RequestInit['body'], headers: Record<string, string> = {}) => {
    const origin = new URL(service.url).origin;
    const begun = Date.now();
    const form = { method: 'POST', redirect: 'manual', headers: { origin, ...headers }, body } as const;
    const response = await fetch(url(path), form);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, took: Date.now() - begun };
  };
  const asAuthor = { cookie: `console_session=${TOKEN}` };
  const submit = (path: string, fields: Iterable<[string, string]>) =>
    send(path, new URLSearchParams([['csrf', csrf], ...fields]), asAuthor);
  const open = async (path: string) => (await fetch(url(path), { headers: asAuthor })).text();
  const hidden = (name: string, page: string): string =>
    (new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '').replaceAll('&amp;', '&');

  it('do not stop the service when an unauthenticated request has very many fields', async () => {
    const body = new URLSearchParams(`csrf=a.b&${'secretField=a&'.repeat(NEARLY_1_MB / 14)}`);
    const { status, took } = await send('/directory/users/new', body);
    expect(status).toBe(401);
    expect(took).toBeLessThan(3_000);
  });

  it('do not stop the service when an editor sends very many fields', async () => {
    const names = Array.from({ length: 40_000 }, (_, index) => `f${index}`).join('&');
    const others = Array.from({ length: 200_000 }, (): [string, string] => ['a', '']);
    const fields: [string, string][] = [['opened', names], ['username', 'customer'], ['customData', '{}'], ...others];
    const { status, took } = await submit(`/directory/users/${customer}/edit`, fields);
    expect(status).toBe(303);
    expect(took).toBeLessThan(5_000);
  });

  it('do not parse the files of unauthenticated requests', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    const { status, headers } = await send('/settings/brand/images/logo', 'not a form', type);
    expect(status).toBe(303);
    expect(headers.get('location')).toContain('/console/-/sign-in?');
    expect((await send('/settings/brand/images/logo', 'not a form', { ...type, ...asAuthor })).status).toBe(400);
  });

  it('keep the ticked rows of a list after the session has ended', async () => {
    const chosen = new URLSearchParams({ csrf, id: customer, confirmed: 'true' });
    const path = '/directory/users/suspend-selected';
    const ended = await send(path, chosen);
    expect(ended.status).toBe(401);
    expect(ended.text).toContain('data-kept="/console/default/directory/users"');
    const kept = new URLSearchParams({ kept: hidden('kept', ended.text) });
    const { text } = await send(path, kept, asAuthor);
    expect(text).toContain('Suspend 1 user?');
    expect(hidden('id', text)).toBe(customer);
    expect(await service.api.must(`GET /users/${customer}`)).toMatchObject({ isSuspended: false });
  });

  it('keep what others changed of the brand and its texts', async () => {
    const brand = hidden('opened', await open('/settings/brand'));
    await service.api.must('PATCH /sign-in-exp', { brandName: 'Theirs' });
    const { brandName: _, ...saved } = await service.api.must('GET /sign-in-exp');
    const { status } = await submit('/settings/brand', [
      ['opened', brand],
      ['brandName', 'Default'],
      ['color.primaryColor', saved.color.primaryColor],
      ['languageInfo.fallbackLanguage', saved.languageInfo.fallbackLanguage],
      ['termsOfUseUrl', 'https://acme.example/terms'],
    ]);
    expect(status).toBe(303);
    const changed = { brandName: 'Theirs', termsOfUseUrl: 'https://acme.example/terms' };
    expect(await service.api.must('GET /sign-in-exp')).toMatchObject(changed);

    const texts = hidden('opened', await open('/settings/brand/texts?language=de'));
    await service.api.must('PATCH /sign-in-exp', { customTexts: { de: { 'home.lead': 'Theirs' } } });
    const mine: [string, string][] = [
      ['opened', texts],
      ['language', 'de'],
    ];
    expect((await submit('/settings/brand/texts', [...mine, ['customTexts.de.code.title', 'Mine']])).status).toBe(303);
    const both = { de: { 'home.lead': 'Theirs', 'code.title': 'Mine' } };
    expect((await service.api.must('GET /sign-in-exp')).customTexts).toEqual(both);
    const conflict = await submit('/settings/brand/texts', [...mine, ['customTexts.de.home.lead', 'Mine']]);
    expect(conflict.status).toBe(422);
    expect(conflict.text).toContain('It is “Theirs” now.');
  });
});
