import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplicationCredentials } from '../../src/admin/create-tenant.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { sweepExpired } from '../../src/database/retention.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { type Application, authorization, Visitor } from '../sign-in/visitor.ts';
import { getJson, postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const PASSWORD = 'correct horse battery';

interface SignInOptions {
  application?: Application;
  scope?: string;
}

/** Polling options: the list of revoked tokens is cached for a second, and the machine may be slow. */
const SOON = { timeout: 10_000, interval: 50 };

describe.each(databases)('a revoked token on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let database: Database;
  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const basic = ({ clientId, clientSecret }: ApplicationCredentials) => ({
    authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
  });
  const machine = () => basic(service.credentials.machine);
  const operator = () => basic(service.credentials.operator);
  const machineToken = async (resource: string, scope: string, as = machine()): Promise<string> =>
    (await postForm(`${service.url}/oidc/token`, { grant_type: 'client_credentials', resource, scope }, as)).body
      .access_token;
  const revoke = (token: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    postForm(`${service.url}/oidc/token/revocation`, { token, ...form }, headers);
  const statusAt = async (path: string, token: string) =>
    (await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  const isActive = async (token: string) =>
    (await postForm(`${service.url}/oidc/token/introspection`, { token }, machine())).body.active as boolean;
  const listed = async (): Promise<string[]> =>
    (await getJson(`${service.url}/oidc/revoked-tokens`)).tokens.map(({ jti }: { jti: string }) => jti);

  /** Signs a user in and returns the tokens. A grant whose `scope` lacks `offline_access` ends with the session. */
  async function signInAs(username: string, { application, scope = 'openid offline_access' }: SignInOptions = {}) {
    const visitor = new Visitor(service.url);
    const parameters = { scope: `${scope} ${cast.scope}`, prompt: 'login consent', resource: cast.resource };
    const flow = await authorization(service, parameters, application);
    await visitor.open(flow.url);
    await visitor.submit('identifier', { identifier: username });
    await visitor.submit('password', { password: PASSWORD });
    const callback = visitor.left as URL;
    const tokens = await flow.tokensAt(callback, { resource: cast.resource });
    return { visitor, callback, flow, tokens, jwt: tokens.access_token };
  }

  /** Creates a user and signs the user in. */
  async function signedIn(username: string, options: SignInOptions = {}) {
    const { id } = await service.api.must('POST /users', { username, password: PASSWORD });
    return { id: id as string, ...(await signInAs(username, options)) };
  }

  it('is refused by the Management API and the operator API', async () => {
    for (const [path, resource, scope, as] of [
      ['/api/roles', service.credentials.managementApiIndicator, 'all', machine()],
      ['/admin/api/tenants', `${service.url}/admin/api`, 'tenants', operator()],
    ] as const) {
      const token = await machineToken(resource, scope, as);
      const other = await machineToken(resource, scope, as);
      expect([path, await statusAt(path, token)]).toEqual([path, 200]);
      expect((await revoke(token, {}, as)).status).toBe(200);
      expect([path, await statusAt(path, token)]).toEqual([path, 401]);
      expect([path, await statusAt(path, other)]).toEqual([path, 200]);
    }
  });

  it('is refused at the userinfo endpoint and as an actor token', async () => {
    const token = await cast.spa.signIn(cast.alice);
    expect(await statusAt('/oidc/me', token)).toBe(200);
    expect((await revoke(token, { client_id: cast.spa.clientId })).status).toBe(200);
    expect(await statusAt('/oidc/me', token)).toBe(401);
    const { status, body } = await cast.spa.exchange({ subject_token: await cast.mint(), actor_token: token });
    expect([status, body.error_description]).toEqual([400, 'actor token is not valid']);
  });

  it('is revoked when its code is sent again', async () => {
    const { jwt, flow, callback } = await signedIn('replayed');
    expect(await isActive(jwt)).toBe(true);
    await expect(flow.tokensAt(callback, { resource: cast.resource })).rejects.toThrow();
    expect(await isActive(jwt)).toBe(false);
    await expect.poll(listed, SOON).toContain(decodeJwt(jwt).jti);
  });

  it('is revoked with its refresh token', async () => {
    const { jwt, tokens } = await signedIn('revoked');
    await revoke(String(tokens.refresh_token), { client_id: cast.spa.clientId });
    expect(await isActive(jwt)).toBe(false);
    await expect.poll(listed, SOON).toContain(decodeJwt(jwt).jti);
  });

  it('is revoked when its user is suspended, and stays revoked afterwards', async () => {
    const { id, jwt } = await signedIn('suspended');
    await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true });
    expect(await isActive(jwt)).toBe(false);
    await expect.poll(listed, SOON).toContain(decodeJwt(jwt).jti);
    await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: false });
    expect(await isActive(jwt)).toBe(false);
  });

  it('is revoked when its user or application is deleted', async () => {
    const redirectUri = 'http://localhost:4400/callback';
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'Short-lived',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: [redirectUri] },
    });
    const one = await signedIn('deleted');
    const other = await signedIn('kept', { application: { clientId, redirectUri } });
    await service.api.must(`DELETE /users/${one.id}`);
    await service.api.must(`DELETE /applications/${clientId}`);
    for (const { jwt } of [one, other]) {
      await expect.poll(listed, SOON).toContain(decodeJwt(jwt).jti);
      expect(await isActive(jwt)).toBe(false);
    }
  });

  it('is revoked when the application that started the impersonation is deleted', async () => {
    const redirectUri = 'http://localhost:4400/callback';
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'Impersonates',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: [redirectUri] },
      customClientMetadata: { allowTokenExchange: true },
    });
    const { status, body } = await postForm(`${service.url}/oidc/token`, {
      grant_type: TOKEN_EXCHANGE,
      client_id: clientId,
      subject_token: await cast.mint(),
      subject_token_type: ACCESS_TOKEN,
      resource: cast.resource,
    });
    expect([status, await isActive(body.access_token)]).toEqual([200, true]);
    await service.api.must(`DELETE /applications/${clientId}`);
    expect(await isActive(body.access_token)).toBe(false);
    await expect.poll(listed, SOON).toContain(decodeJwt(body.access_token).jti);
    const [entry] = await service.api.must('GET /logs?logKey=Impersonation.End');
    expect(entry.payload.details).toMatchObject({
      impersonationId: decodeJwt(body.access_token).jti,
      reason: 'deleted',
    });
  });

  it('is revoked when its session signs out, unless it has offline access', async () => {
    const offline = await signedIn('offline');
    const online = await signedIn('online', { scope: 'openid' });
    for (const { visitor, jwt } of [offline, online]) {
      expect(await isActive(jwt)).toBe(true);
      await visitor.open(`${service.url}/oidc/session/end`);
      await visitor.submit('end/confirm', { logout: 'yes' });
    }
    expect(await isActive(offline.jwt)).toBe(true);
    expect(await isActive(online.jwt)).toBe(false);
    await expect.poll(listed, SOON).toContain(decodeJwt(online.jwt).jti);
    expect(await listed()).not.toContain(decodeJwt(offline.jwt).jti);
  });

  it('is revoked even if it is issued while its user is suspended', async () => {
    const { id, ...first } = await signedIn('racing');
    const sessions = [first, await signInAs('racing'), await signInAs('racing')];
    const refresh = async ({ tokens }: typeof first) =>
      (
        await postForm(`${service.url}/oidc/token`, {
          grant_type: 'refresh_token',
          client_id: cast.spa.clientId,
          refresh_token: tokens.refresh_token,
          resource: cast.resource,
        })
      ).body.access_token as string | undefined;
    const [, ...refreshed] = await Promise.all([
      service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true }),
      ...sessions.map(refresh),
    ]);
    await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: false });
    for (const token of [...sessions.map(({ jwt }) => jwt), ...refreshed]) {
      if (token === undefined) continue;
      expect(await isActive(token)).toBe(false);
      await expect.poll(listed, SOON).toContain(decodeJwt(token).jti);
    }
  });

  it('is no longer stored once it has expired', async () => {
    const { jwt } = await signedIn('forgotten');
    const jti = decodeJwt(jwt).jti as string;
    expect(await database.reader('issuedJwts').where({ id: jti })).toHaveLength(1);
    await sweepExpired(database, Date.now() + 25 * 60 * 60 * 1000);
    expect(await database.reader('issuedJwts').where({ id: jti })).toHaveLength(0);
  });

  it('is listed in a fixed order, and the list is built at most once a second', async () => {
    const expiresAt = Date.now() + 600_000;
    const ids = ['b', 'A', 'a', 'ä', 'Z', '_', '-'].map((id) => `order-${id}`);
    const store = new TenantStore(database, 'default');
    await store.addMissing(
      'revokedTokens',
      ids.map((id) => ({ id, expiresAt, revokedAt: Date.now() })),
    );
    await expect.poll(listed, SOON).toEqual(expect.arrayContaining(ids));
    const inOrder = (await listed()).filter((jti) => jti.startsWith('order-'));
    expect(inOrder).toEqual([...ids].sort((one, other) => (one < other ? -1 : 1)));

    const first = await fetch(`${service.url}/oidc/revoked-tokens`);
    const etag = first.headers.get('etag') as string;
    expect(first.headers.get('cache-control')).toBe('public, max-age=1');
    const again = await fetch(`${service.url}/oidc/revoked-tokens`, {
      headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
    // Within the same second, a revocation by another process is not visible yet.
    const etagAt = async (time: number) => {
      service.time.stopAt(time);
      await store.addMissing('revokedTokens', [{ id: `at-${time}`, expiresAt, revokedAt: time }]);
      return (await fetch(`${service.url}/oidc/revoked-tokens`)).headers.get('etag');
    };
    const builtAt = Date.now() + 1_000;
    const built = await etagAt(builtAt);
    for (const ms of [1, 500, 999]) expect(await etagAt(builtAt + ms)).toBe(built);
    expect(await etagAt(builtAt + 1_000)).not.toBe(built);
  });
});
