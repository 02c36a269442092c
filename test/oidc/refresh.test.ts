import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';
import { payloadPurposeOf } from '../../src/tokens/session-interactions.ts';
import { type Answer, postForm } from '../support/call.ts';
import { askToken, codeGrant, type OAuthApplication, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const FIRST = 'https://first.example/api';
const SECOND = 'https://second.example/api';
/** Longer than the grace period of a spent refresh token. */
const LONG_AGO_MS = 4_000;
const DAY_SECONDS = 24 * 60 * 60;

describe.each(databases)('a refresh on %s', (kind) => {
  let service: TestService;
  let spa: OAuthApplication;
  let web: OAuthApplication;
  /** A second connection, like that of another process. */
  let database: Database;
  let store: TenantStore;
  let secrets: SecretBox;

  beforeAll(async () => {
    service = await startService(kind);
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    store = new TenantStore(database, 'default');
    secrets = new SecretBox(await loadSecretKey(service.dataDir));
    for (const indicator of [FIRST, SECOND]) await service.api.must('POST /resources', { name: indicator, indicator });
    spa = await registerApplication(service, 'SPA');
    web = await registerApplication(service, 'Traditional');
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const refreshTokenOf = async (application: OAuthApplication, parameters = {}): Promise<string> =>
    (await codeGrant(service, application, { resource: [FIRST, SECOND], ...parameters })).body.refresh_token;
  const refresh = (application: OAuthApplication, token: string, form: Record<string, string | string[]> = {}) =>
    askToken(service, application, { grant_type: 'refresh_token', refresh_token: token, ...form });
  const keyOf = (token: string) => ({ model: 'RefreshToken', id: hashOf(token) });
  const refusalOf = ({ status, body }: Answer) => [status, body.error, body.error_description];

  /** Ages a refresh token by this part of its 14 days. */
  async function age(token: string, part: number): Promise<void> {
    const key = keyOf(token);
    const purpose = payloadPurposeOf('default', key.model, key.id);
    const { payloadEncrypted } = await store.get('oidcPayloads', key);
    const payload = JSON.parse(secrets.open(payloadEncrypted, purpose));
    const shift = Math.ceil(part * 14 * DAY_SECONDS);
    const older = { ...payload, iat: payload.iat - shift, exp: payload.exp - shift };
    await store.change('oidcPayloads', key, { payloadEncrypted: secrets.seal(JSON.stringify(older), purpose) });
  }

  it.each<[string, Record<string, string | string[]>, string]>([
    ['for a resource that does not exist', { resource: 'https://unknown.example' }, 'invalid_target'],
    ['for a resource that was not requested at sign-in', { resource: 'http://localhost:3001' }, 'invalid_target'],
    ['for two resources', { resource: [FIRST, SECOND] }, 'invalid_target'],
    ['with a scope beyond its own', { scope: 'openid email' }, 'invalid_scope'],
    ['for an organization, without the scope', { organization_id: 'unknown' }, 'insufficient_scope'],
  ])('does not spend the token of a request %s', async (_, form, error) => {
    const token = await refreshTokenOf(spa);
    expect((await refresh(spa, token, form)).body.error).toBe(error);
    expect(await store.get('oidcPayloads', keyOf(token))).toMatchObject({ consumedAt: null });
    expect((await refresh(spa, token, { resource: FIRST })).status).toBe(200);
  });

  it('accepts two parallel refreshes with one token and returns the same next token', async () => {
    const token = await refreshTokenOf(spa);
    const answers = await Promise.all([FIRST, SECOND].map((resource) => refresh(spa, token, { resource })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ body }) => decodeJwt(body.access_token).aud)).toEqual([FIRST, SECOND]);
    const [next, same] = answers.map(({ body }) => body.refresh_token);
    expect(same).toBe(next);
    expect(next).not.toBe(token);
    expect((await refresh(spa, next)).status).toBe(200);
  });

  it('returns the latest successor of a token that was just spent', async () => {
    const first = await refreshTokenOf(spa);
    const second = (await refresh(spa, first)).body.refresh_token;
    const third = (await refresh(spa, second)).body.refresh_token;
    expect((await refresh(spa, first)).body.refresh_token).toBe(third);
  });

  it('returns one live refresh token to twenty parallel requests', async () => {
    const token = await refreshTokenOf(spa);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(spa, token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    const { grantId } = await store.get('oidcPayloads', keyOf(token));
    const family = await store.from('oidcPayloads').where({ grantId, model: 'RefreshToken' }).select('consumedAt');
    expect(family.filter(({ consumedAt }) => consumedAt === null)).toHaveLength(1);
  });

  it('refuses a token that was spent long ago, and ends its grant', async () => {
    const token = await refreshTokenOf(spa);
    const { body } = await refresh(spa, token);
    service.time.pass(LONG_AGO_MS);
    // Another error in the same request must not hide the replay.
    const replayed = await refresh(spa, token, { resource: 'https://unknown.example' });
    expect(refusalOf(replayed)).toEqual([400, 'invalid_grant', 'refresh token was already used']);
    expect(refusalOf(await refresh(spa, body.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant']);
    const me = await fetch(`${service.url}/oidc/me`, { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(me.status).toBe(401);
  });

  it('records each replay of a public application with its user', async () => {
    const token = await refreshTokenOf(spa);
    await refresh(spa, token);
    service.time.pass(LONG_AGO_MS);
    // Replays of earlier tests may be written late, but they have an older time.
    const query = `applicationId=${spa.clientId}&result=Error&logKey=ExchangeTokenBy.RefreshToken&start_time=${service.time.now()}`;
    const replays = async (): Promise<{ payload: { userId?: string; details: { description?: string } } }[]> =>
      (await service.api.must(`GET /logs?${query}&page_size=100`)).filter(
        ({ payload }: { payload: { details: { description?: string } } }) =>
          payload.details.description === 'refresh token was already used',
      );
    const second = await refreshTokenOf(spa);
    await refresh(spa, second);
    service.time.pass(LONG_AGO_MS);
    for (const one of [token, second]) expect((await refresh(spa, one)).status).toBe(400);
    await expect.poll(replays, { timeout: 20_000 }).toHaveLength(2);
    for (const { payload } of await replays()) expect(payload.userId).toBe(service.credentials.demo.actor.id);
  });

  it("does not rotate a confidential application's token before 70% of its life, and always a public one's", async () => {
    const token = await refreshTokenOf(web);
    expect((await refresh(web, token)).body.refresh_token).toBe(token);
    expect((await refresh(web, token, { resource: FIRST })).body.refresh_token).toBe(token);
    await age(token, 0.69);
    expect((await refresh(web, token)).body.refresh_token).toBe(token);
    await age(token, 0.02);
    const { body } = await refresh(web, token);
    expect(body.refresh_token).not.toBe(token);
    expect((await refresh(web, body.refresh_token)).body.refresh_token).toBe(body.refresh_token);

    const native = await registerApplication(service, 'Native', { rotateRefreshToken: false });
    const first = await refreshTokenOf(native);
    expect((await refresh(native, first)).body.refresh_token).not.toBe(first);
  });

  it('does not rotate if the application turned that off, however old the token is', async () => {
    const keeps = await registerApplication(service, 'Traditional', { rotateRefreshToken: false });
    const token = await refreshTokenOf(keeps);
    await age(token, 0.9);
    expect((await refresh(keeps, token)).body.refresh_token).toBe(token);
  });

  it('names the reason of each refusal', async () => {
    const token = await refreshTokenOf(spa);
    const other = await registerApplication(service, 'SPA');
    expect(refusalOf(await refresh(spa, 'nonsense'))).toEqual([
      400,
      'invalid_grant',
      'refresh token is unknown or was revoked',
    ]);
    expect(refusalOf(await refresh(other, token))).toEqual([
      400,
      'invalid_grant',
      'refresh token was issued to another application',
    ]);
    expect(refusalOf(await askToken(service, spa, { grant_type: 'refresh_token' }))).toEqual([
      400,
      'invalid_request',
      'refresh_token is required',
    ]);
    await age(token, 1.1);
    expect(refusalOf(await refresh(spa, token))).toEqual([400, 'invalid_grant', 'refresh token has expired']);
  });

  it('does not issue a native application a refresh token that it did not request', async () => {
    for (const [type, isGiven] of [
      ['Native', false],
      ['SPA', true],
      ['Traditional', true],
    ] as const) {
      const application = await registerApplication(service, type, { alwaysIssueRefreshToken: true });
      const { body } = await codeGrant(service, application, { scope: 'openid', prompt: 'login' });
      expect([type, body.refresh_token !== undefined]).toEqual([type, isGiven]);
    }
  });

  it('names the reason why a code is refused', async () => {
    const form = { grant_type: 'authorization_code', redirect_uri: spa.redirectUri, code_verifier: 'v'.repeat(43) };
    expect(refusalOf(await askToken(service, spa, { ...form, code: 'nonsense' }))).toEqual([
      400,
      'invalid_grant',
      'authorization code not found',
    ]);
  });

  it('refuses a grant type that comes after a thousand parameters', async () => {
    const token = await refreshTokenOf(spa);
    const padding = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, '1']));
    const form = { ...padding, grant_type: 'refresh_token', client_id: spa.clientId, refresh_token: token };
    const { status, body } = await postForm(`${service.url}/oidc/token`, form);
    expect([status, body.access_token]).toEqual([400, undefined]);
    expect(await store.get('oidcPayloads', keyOf(token))).toMatchObject({ consumedAt: null });
  });

  it('narrows the scope of one response, not of the next', async () => {
    const token = await refreshTokenOf(spa, { scope: 'openid offline_access profile email' });
    const narrow = await refresh(spa, token, { scope: 'openid email' });
    expect(narrow.body).toMatchObject({ scope: 'openid email', token_type: 'Bearer' });
    expect(decodeJwt(narrow.body.id_token)).not.toHaveProperty('username');
    const wide = await refresh(spa, narrow.body.refresh_token);
    expect(wide.body.scope).toBe('openid offline_access profile email');
    expect(decodeJwt(wide.body.id_token)).toHaveProperty('username');
  });
});
