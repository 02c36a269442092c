import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../../scripts/support/sign-in.ts';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { Visitor } from '../sign-in/visitor.ts';
import { postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe.each(databases)('sessions and grants of a user on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    await service.api.must(`PATCH /applications/${cast.spa.clientId}`, {
      customClientMetadata: { alwaysIssueRefreshToken: true },
    });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const call = (route: string) => service.api.call(route);
  const read = (route: string) => service.api.must(route);

  /** Signs in with a new browser and returns the tokens of the application. */
  async function signedIn(): Promise<Tokens> {
    const { clientId, redirectUri } = service.credentials.demo;
    const of = { endpoint: service.url, clientId, redirectUri, person: cast.alice };
    return (await signIn({ ...of, scope: 'openid offline_access' })).tokens as unknown as Tokens;
  }

  /** Returns the statuses of a userinfo request and a refresh with the tokens. */
  async function uses({ access_token, refresh_token }: Tokens): Promise<number[]> {
    const me = await fetch(`${service.url}/oidc/me`, { headers: { authorization: `Bearer ${access_token}` } });
    const form = { grant_type: 'refresh_token', client_id: cast.spa.clientId, refresh_token };
    const refreshed = await postForm(`${service.url}/oidc/token`, form);
    return [me.status, refreshed.status];
  }

  const unknown = { status: 404, body: { code: 'entity.not_found' } };

  it('are listed without the session cookie, and end together with their tokens', async () => {
    const path = `/users/${cast.alice.id}/sessions`;
    const first = await signedIn();
    const {
      sessions: [session],
    } = await read(`GET ${path}`);
    expect(session).toMatchObject({
      payload: { kind: 'Session', accountId: cast.alice.id, uid: expect.any(String) },
      lastSubmission: { interactionEvent: 'SignIn', verificationRecords: [{ type: 'Password' }] },
      clientId: cast.spa.clientId,
      accountId: cast.alice.id,
      expiresAt: session.payload.exp * 1000,
    });
    expect(session.payload).not.toHaveProperty('jti');
    const { uid } = session.payload;
    expect(await read(`GET ${path}/${uid}`)).toEqual(session);

    const second = await signedIn();
    expect((await read(`GET ${path}`)).sessions).toHaveLength(2);
    const pages = await Promise.all([1, 2].map((page) => call(`GET ${path}?page=${page}&page_size=1`)));
    expect(pages.map(({ headers }) => headers.get('total-number'))).toEqual(['2', '2']);
    expect(pages.flatMap(({ body }) => body.sessions)).toEqual((await read(`GET ${path}`)).sessions);
    for (const method of ['GET', 'DELETE']) {
      expect(await call(`${method} /users/${cast.bob.id}/sessions/${uid}`)).toMatchObject(unknown);
      expect(await call(`${method} ${path}/nothing`)).toMatchObject(unknown);
    }

    expect((await call(`DELETE ${path}/${uid}`)).status).toBe(204);
    expect(await uses(first)).toEqual([401, 400]);
    expect(await uses(second)).toEqual([200, 200]);
    expect((await read(`GET ${path}`)).sessions).toHaveLength(1);
    expect(await call(`DELETE ${path}/${uid}`)).toMatchObject(unknown);
    const [entry] = await read(
      `GET /logs?userId=${cast.alice.id}&logKey=${encodeURIComponent(
        'Management.DELETE /users/:userId/sessions/:sessionId',
      )}&result=Success`,
    );
    expect(entry.payload.details).toMatchObject({ grantIds: [expect.any(String)], params: { sessionId: uid } });
  });

  it('sign an administrator out of the console when the session or the grant to the console is ended', async () => {
    const { alice } = cast;
    const named = { username: 'carol', password: 'violet harbour ninety' };
    const carol = { ...named, ...(await service.api.must('POST /users', named)) };
    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    const right = { managedTenantId: 'default', createdAt: Date.now() };
    const rights = [alice, carol].map(({ id }) => ({ userId: id, ...right }));
    await new TenantStore(database, 'default').add('administrators', rights);

    /** Opens the console in a new browser and returns its session. */
    const enter = async ({ id, username, password }: Cast['alice']) => {
      const sessionsOf = async (): Promise<
        { payload: { uid: string; authorizations: Record<string, { grantId: string }> } }[]
      > => (await read(`GET /users/${id}/sessions`)).sessions;
      const before = new Set((await sessionsOf()).map(({ payload }) => payload.uid));
      const visitor = new Visitor(service.url);
      await visitor.open('/console');
      await visitor.submit('identifier', { identifier: username });
      await visitor.submit('password', { password });
      const payload = (await sessionsOf()).map(({ payload }) => payload).find(({ uid }) => !before.has(uid));
      const where = async () => (await visitor.open('/console/default/overview')).url.pathname;
      expect(await where()).toBe('/console/default/overview');
      return { where, payload };
    };
    const other = await enter(carol);
    const byGrant = await enter(alice);
    const grantId = byGrant.payload?.authorizations['admin-console']?.grantId;
    expect((await call(`DELETE /users/${alice.id}/grants/${grantId}`)).status).toBe(204);
    expect(await byGrant.where()).not.toMatch(/^\/console/);
    const bySession = await enter(alice);
    expect((await call(`DELETE /users/${alice.id}/sessions/${bySession.payload?.uid}`)).status).toBe(204);
    expect(await bySession.where()).not.toMatch(/^\/console/);
    expect(await other.where()).toBe('/console/default/overview');

    await new TenantStore(database, 'default').removeAll('administrators', right);
    await database.close();
  });

  it('only contain fields that their schema names', async () => {
    await signedIn();
    const { sessions } = await read(`GET /users/${cast.alice.id}/sessions`);
    const given = sessions.flatMap(({ payload }: { payload: { authorizations: object } }) =>
      Object.values(payload.authorizations),
    );
    expect(given).not.toHaveLength(0);
    for (const one of given) expect(one).toEqual({ grantId: expect.any(String) });
  });

  it('end every token of a grant that is ended', async () => {
    const path = `/users/${cast.alice.id}/grants`;
    const tokens = await signedIn();
    const { grants } = await read(`GET ${path}`);
    const [grant] = grants;
    expect(grant).toMatchObject({
      payload: { kind: 'Grant', jti: grant.id, clientId: cast.spa.clientId, accountId: cast.alice.id },
      expiresAt: grant.payload.exp * 1000,
      application: { id: cast.spa.clientId, name: expect.any(String) },
    });
    expect((await read(`GET ${path}?appType=thirdParty`)).grants).toEqual([]);
    expect((await read(`GET ${path}?appType=firstParty`)).grants).toEqual(grants);
    expect(await call(`DELETE /users/${cast.bob.id}/grants/${grant.id}`)).toMatchObject(unknown);

    for (const { id } of grants) expect((await call(`DELETE ${path}/${id}`)).status).toBe(204);
    expect(await uses(tokens)).toEqual([401, 400]);
    expect((await read(`GET ${path}`)).grants).toEqual([]);
    expect(await call(`DELETE ${path}/${grant.id}`)).toMatchObject(unknown);
  });
});
