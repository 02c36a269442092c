import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';
import { payloadPurposeOf } from '../../src/tokens/session-interactions.ts';
import { type Answer, postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { askToken, codeGrant } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { spyOnStatements } from '../support/statements.ts';
import { addTenant } from '../support/tenant-rows.ts';

const PASSWORD = 'correct horse battery';
const OTHER_TENANT = 'other';
const NOT_VALID = [400, 'actor token is not valid'];

type Fields = Record<string, unknown>;

/** An actor who has signed in, and the keys of the records of the sign-in. */
interface SignedIn {
  id: string;
  value: string;
  refreshToken: string | undefined;
  token: { model: string; id: string };
  grant: { model: string; id: string };
  session: { model: string; id: string };
}

describe.each(databases)('an actor token on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  /** A second connection, like that of another process. */
  let database: Database;
  let store: TenantStore;
  let secrets: SecretBox;
  let userCount = 0;

  beforeAll(async () => {
    service = await startService(kind, { RATE_LIMIT_AUTHORIZATION: '100000', RATE_LIMIT_TOKEN: '100000' });
    cast = castOf(service);
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    store = new TenantStore(database, 'default');
    secrets = new SecretBox(await loadSecretKey(service.dataDir));
    await addTenant(database, OTHER_TENANT);
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const exchange = async (value: string) => cast.spa.exchange({ subject_token: await cast.mint(), actor_token: value });
  const refusalOf = ({ status, body }: Answer) => [status, body.error_description];
  const application = () => ({
    clientId: cast.spa.clientId,
    clientSecret: undefined,
    redirectUri: service.credentials.demo.redirectUri,
  });

  type Key = SignedIn['token'];
  const purposeOf = ({ model, id }: Key) => payloadPurposeOf('default', model, id);
  async function payloadOf(key: Key): Promise<Fields> {
    return JSON.parse(secrets.open((await store.get('oidcPayloads', key)).payloadEncrypted, purposeOf(key)));
  }
  /** Replaces fields of a payload, and nothing else of its row. */
  async function rewrite(key: Key, fields: Fields): Promise<void> {
    const text = JSON.stringify({ ...(await payloadOf(key)), ...fields });
    await store.change('oidcPayloads', key, { payloadEncrypted: secrets.seal(text, purposeOf(key)) });
  }
  const moveToOtherTenant = (key: Key) =>
    database.write((db) =>
      db('oidcPayloads')
        .where({ ...key, tenantId: 'default' })
        .update({ tenantId: OTHER_TENANT }),
    );

  /** Signs a new user in. A token whose `scope` lacks `offline_access` ends with the session. */
  async function signIn(scope: string): Promise<SignedIn> {
    userCount += 1;
    const username = `actor${userCount}`;
    const { id } = await service.api.must('POST /users', { username, password: PASSWORD });
    const { body } = await codeGrant(service, application(), { scope }, { username, password: PASSWORD });
    const token = { model: 'AccessToken', id: hashOf(body.access_token) };
    const { grantId, sessionUid } = await payloadOf(token);
    const session = await store.get('oidcPayloads', { model: 'Session', uid: sessionUid as string });
    return {
      id,
      value: body.access_token,
      refreshToken: body.refresh_token,
      token,
      grant: { model: 'Grant', id: hashOf(grantId as string) },
      session: { model: 'Session', id: session.id },
    };
  }

  const past = () => Math.floor(Date.now() / 1000) - 60;
  const remove = (key: Key) => store.remove('oidcPayloads', key);
  const online = 'openid';
  const offline = 'openid offline_access';

  const ends: [string, string, (actor: SignedIn) => Promise<unknown>][] = [
    [
      'it was revoked',
      offline,
      ({ value }) =>
        postForm(`${service.url}/oidc/token/revocation`, { token: value, client_id: cast.spa.clientId }, {}),
    ],
    ['it has expired but is still stored', offline, ({ token }) => rewrite(token, { exp: past() })],
    ['it names another user', offline, ({ token }) => rewrite(token, { accountId: cast.alice.id })],
    ['it names no grant', offline, ({ token }) => rewrite(token, { grantId: undefined })],
    ['its grant ended', offline, ({ grant }) => remove(grant)],
    ['its grant has expired but is still stored', offline, ({ grant }) => rewrite(grant, { exp: past() })],
    ['its grant is of another user', offline, ({ grant }) => rewrite(grant, { accountId: cast.alice.id })],
    ['its session ended', online, ({ session }) => remove(session)],
    ['its session has expired but is still stored', online, ({ session }) => rewrite(session, { exp: past() })],
    ['its session is of another user', online, ({ session }) => rewrite(session, { accountId: cast.alice.id })],
    ['its session has no grant of the application', online, ({ session }) => rewrite(session, { authorizations: {} })],
    [
      'its session has a newer grant of the application',
      online,
      ({ session }) => rewrite(session, { authorizations: { [cast.spa.clientId]: { grantId: 'newer' } } }),
    ],
    ['its session has another uid', online, ({ session }) => store.change('oidcPayloads', session, { uid: 'other' })],
    ['its user was suspended', offline, ({ id }) => store.change('users', { id }, { isSuspended: true })],
    ['its user was deleted', offline, ({ id }) => store.remove('users', { id })],
    ['only another tenant has it', offline, ({ token }) => moveToOtherTenant(token)],
    ['only another tenant has its grant', offline, ({ grant }) => moveToOtherTenant(grant)],
    ['only another tenant has its session', online, ({ session }) => moveToOtherTenant(session)],
  ];

  it.each(ends)('is refused, used before or not, if %s', async (_, scope, end) => {
    const [used, unused] = [await signIn(scope), await signIn(scope)];
    expect((await exchange(used.value)).status).toBe(200);
    for (const actor of [used, unused]) {
      await end(actor);
      expect(refusalOf(await exchange(actor.value))).toEqual(NOT_VALID);
    }
  });

  it('is refused if its application was deleted', async () => {
    const redirectUri = 'http://localhost:4400/callback';
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'Short-lived',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: [redirectUri] },
    });
    const { body } = await codeGrant(service, { clientId, clientSecret: undefined, redirectUri });
    expect((await exchange(body.access_token)).status).toBe(200);
    await service.api.must(`DELETE /applications/${clientId}`);
    expect(refusalOf(await exchange(body.access_token))).toEqual(NOT_VALID);
  });

  it.each(['token', 'grant', 'session'] as const)(
    'is refused if the payload of its %s was sealed for another record, even one that was read before',
    async (name) => {
      const [actor, other] = [await signIn(online), await signIn(online)];
      for (const { value } of [actor, other]) expect((await exchange(value)).status).toBe(200);
      const { payloadEncrypted } = await store.get('oidcPayloads', other[name]);
      await store.change('oidcPayloads', actor[name], { payloadEncrypted });
      const { status, body } = await exchange(actor.value);
      expect([status, body.error, body.access_token]).toEqual([500, 'server_error', undefined]);
      expect((await exchange(other.value)).status).toBe(200);
    },
  );

  it('is accepted after its payloads were sealed again, as with another secret key', async () => {
    const actor = await signIn(online);
    expect((await exchange(actor.value)).status).toBe(200);
    for (const key of [actor.token, actor.grant, actor.session]) await rewrite(key, {});
    expect((await exchange(actor.value)).status).toBe(200);
  });

  it('needs the scope openid', async () => {
    const [used, unused] = [await signIn(offline), await signIn(offline)];
    expect((await exchange(used.value)).status).toBe(200);
    for (const { token, value } of [used, unused]) {
      await rewrite(token, { scope: 'openid2 profile' });
      expect(refusalOf(await exchange(value))).toEqual([400, 'actor token lacks scope openid']);
    }
  });

  it('is an access token, not another secret of the sign-in', async () => {
    const { refreshToken, session } = await signIn(offline);
    for (const value of [refreshToken as string, (await payloadOf(session)).jti as string])
      expect(refusalOf(await exchange(value))).toEqual(NOT_VALID);
  });

  it('can come from a refresh', async () => {
    const { refreshToken } = await signIn(offline);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const { body } = await askToken(service, application(), form);
    expect((await exchange(body.access_token)).status).toBe(200);
  });

  it('with offline access outlives its session, unless the policy asks about the sign-in', async () => {
    const signedOut = await signIn(offline);
    await remove(signedOut.session);
    const replaced = await signIn(offline);
    await rewrite(replaced.session, { accountId: cast.alice.id });
    for (const { value } of [signedOut, replaced]) expect((await exchange(value)).status).toBe(200);
    for (const policy of [{ actorMaxAge: 600 }, { requiredAcr: 'urn:understudy:acr:1fa' }]) {
      await service.api.must('PATCH /configs/impersonation', policy);
      for (const { value } of [signedOut, replaced])
        expect(refusalOf(await exchange(value))).toEqual([
          400,
          'impersonation policy: the actor is no longer signed in',
        ]);
      await service.api.must('PATCH /configs/impersonation', { actorMaxAge: null, requiredAcr: null });
    }
  });

  it('does not hide why the subject token or the resource is refused', async () => {
    const besides = { actor_token: 'unknown' };
    const unknown = await cast.spa.exchange({ subject_token: 'sub_unknown', ...besides });
    expect(refusalOf(unknown)).toEqual([400, 'subject token is unknown']);
    const elsewhere = { resource: 'https://unknown.example', ...besides };
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint(), ...elsewhere });
    expect(body.error).toBe('invalid_target');
  });

  it('is read with its grant, its session and its user in one statement once it was used', async () => {
    const { value } = await signIn(online);
    const subjectTokens = [await cast.mint(), await cast.mint()];
    const counts: number[] = [];
    for (const subject_token of subjectTokens) {
      let count = 0;
      const spy = spyOnStatements(kind, ({ sql }) => {
        if (/oidc_payloads/.test(sql)) count += 1;
      });
      const { status } = await cast.spa.exchange({ subject_token, actor_token: value });
      spy.mockRestore();
      expect(status).toBe(200);
      counts.push(count);
    }
    expect(counts).toEqual([2, 1]);
  });
});
