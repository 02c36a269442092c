import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { giveRole } from '../../src/admin/administrators.ts';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { type Cast, castOf, verifyAccessToken } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const OPEN = {
  subjectTokenTtl: 600,
  maxTokenTtl: null,
  requireActor: false,
  requiredContextKeys: [],
  protectedRoleIds: [],
  allowedActorRoleIds: [],
  allowedActorApplicationIds: [],
  actorMaxAge: null,
  requiredAcr: null,
  endOnReplay: false,
  protectAdministrators: true,
};

describe.each(databases)('the impersonation policy on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let actorToken: string;
  let roleId: string;

  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    actorToken = await cast.spa.signIn(cast.alice);
    roleId = (await service.api.must('POST /roles', { name: 'Staff', description: 'Staff' })).id;
  });
  afterEach(() => service.api.must('PATCH /configs/impersonation', OPEN));
  afterAll(() => service[Symbol.asyncDispose]());

  const decide = (policy: object) => service.api.must('PATCH /configs/impersonation', policy);
  const exchange = async (subjectToken: string, actor: string | undefined = actorToken) =>
    cast.spa.exchange({ subject_token: subjectToken, actor_token: actor });

  it('allows everything but impersonating administrators by default, and returns changed values', async () => {
    expect(await service.api.must('GET /configs/impersonation')).toEqual(OPEN);
    expect(await decide({ requireActor: true, actorMaxAge: 60 })).toEqual({
      ...OPEN,
      requireActor: true,
      actorMaxAge: 60,
    });
    const unknown = await service.api.call('PATCH /configs/impersonation', { protectedRoleIds: ['nothing'] });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'entity.relation_foreign_key_not_found']);
  });

  it('sets the lifetime of subject tokens and impersonations', async () => {
    await decide({ subjectTokenTtl: 60, maxTokenTtl: 120 });
    const { subjectToken, expiresIn } = await service.api.must('POST /subject-tokens', { userId: cast.bob.id });
    expect(expiresIn).toBe(60);
    const { body } = await exchange(subjectToken);
    expect(body.expires_in).toBe(120);
    const { exp = 0, iat = 0 } = await verifyAccessToken(service, body.access_token, cast.resource);
    expect(exp - iat).toBe(120);
  });

  it('requires context keys when minting and when exchanging', async () => {
    const before = await cast.mint({ context: { reason: 'why' } });
    await decide({ requiredContextKeys: ['ticketId'] });
    for (const context of [{}, { ticketId: '' }, { ticketId: null }]) {
      const { status, body } = await service.api.call('POST /subject-tokens', { userId: cast.bob.id, context });
      expect([status, body.code, body.data]).toEqual([422, 'impersonation.context_required', { keys: ['ticketId'] }]);
    }
    expect((await exchange(before)).body).toMatchObject({
      error: 'invalid_request',
      error_description: 'impersonation policy: the context lacks ticketId',
    });
    expect((await exchange(await cast.mint({ context: { ticketId: 'T-1' } }))).status).toBe(200);
  });

  it('protects subjects with certain roles when minting and when exchanging', async () => {
    const before = await cast.mint();
    await service.api.must(`POST /users/${cast.bob.id}/roles`, { roleIds: [roleId] });
    await decide({ protectedRoleIds: [roleId] });
    const minted = await service.api.call('POST /subject-tokens', { userId: cast.bob.id });
    expect([minted.status, minted.body.code]).toEqual([422, 'impersonation.subject_protected']);
    expect((await exchange(before)).body.error_description).toBe(
      'impersonation policy: the subject has a protected role',
    );
    await service.api.must(`DELETE /users/${cast.bob.id}/roles/${roleId}`);
    expect((await exchange(before)).status).toBe(200);
  });

  it('protects administrators unless an operator turns that off', async () => {
    const before = await cast.mint();
    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 1 });
    const store = new TenantStore(database, 'default');
    await giveRole(store, cast.bob.id, { tenantIds: ['default'], role: 'viewer' }, { by: 'command', now: Date.now() });

    const minted = await service.api.call('POST /subject-tokens', { userId: cast.bob.id });
    expect([minted.status, minted.body.code]).toEqual([422, 'impersonation.subject_protected']);
    expect((await exchange(before)).body).toMatchObject({
      error: 'invalid_request',
      error_description: 'impersonation policy: the subject is an administrator',
    });

    await decide({ protectAdministrators: false });
    expect((await exchange(await cast.mint())).status).toBe(200);
    await decide({ protectAdministrators: true });
    await store.remove('administrators', { userId: cast.bob.id, managedTenantId: 'default' });
    expect((await exchange(before)).status).toBe(200);
    await database.close();
  });

  it('requires an actor', async () => {
    await decide({ requireActor: true });
    const subjectToken = await cast.mint();
    const { status, body } = await cast.spa.exchange({ subject_token: subjectToken });
    expect([status, body.error_description]).toEqual([400, 'impersonation policy: an actor token is required']);
    expect((await exchange(subjectToken)).status).toBe(200);
  });

  it('allows only actors with certain roles', async () => {
    await decide({ allowedActorRoleIds: [roleId] });
    const bound = await service.api.call('POST /subject-tokens', { userId: cast.bob.id, actorId: cast.alice.id });
    expect([bound.status, bound.body.code]).toEqual([422, 'impersonation.actor_not_allowed']);
    const subjectToken = await cast.mint();
    expect((await exchange(subjectToken)).body.error_description).toMatch(
      /the actor has none of the allowed actor roles/,
    );
    await service.api.must(`POST /users/${cast.alice.id}/roles`, { roleIds: [roleId] });
    expect((await exchange(subjectToken)).status).toBe(200);
    await service.api.must(`DELETE /users/${cast.alice.id}/roles/${roleId}`);
  });

  it('refuses an actor token that was issued to a third-party application', async () => {
    const redirectUri = 'https://third.example/callback';
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'Third',
      type: 'SPA',
      isThirdParty: true,
      oidcClientMetadata: { redirectUris: [redirectUri] },
    });
    const visitor = new Visitor(service.url);
    const flow = await authorization(service, { scope: 'openid' }, { clientId, redirectUri });
    await visitor.open(flow.url);
    await visitor.submit('identifier', { identifier: cast.alice.username });
    await visitor.submit('password', { password: cast.alice.password });
    await visitor.submit('consent', { decision: 'allow' });
    const { access_token: foreign } = await flow.tokensAt(visitor.left as URL);

    const bound = await cast.mint({ actorId: cast.alice.id });
    const refused = await exchange(bound, foreign);
    expect([refused.status, refused.body.error_description]).toEqual([
      400,
      'actor token was issued to a third-party application',
    ]);
    // It stays refused when the policy names that application.
    await decide({ allowedActorApplicationIds: [clientId] });
    expect((await exchange(bound, foreign)).status).toBe(400);
    await decide({ allowedActorApplicationIds: [] });
    expect((await exchange(bound)).status).toBe(200); // The refusals did not spend the token.
  });

  it('allows only actor tokens of certain applications', async () => {
    const { id } = await service.api.must('POST /applications', { name: 'Desk', type: 'SPA' });
    await decide({ allowedActorApplicationIds: [id] });
    const subjectToken = await cast.mint();
    const refused = await exchange(subjectToken);
    expect([refused.status, refused.body.error_description]).toEqual([
      400,
      'impersonation policy: the actor token was issued to an application that is not allowed',
    ]);
    const without = await cast.spa.exchange({ subject_token: subjectToken });
    expect(without.body.error_description).toBe('impersonation policy: an actor token is required');
    await decide({ allowedActorApplicationIds: [id, cast.spa.clientId] });
    expect((await exchange(subjectToken)).status).toBe(200);
    const unknown = await service.api.call('PATCH /configs/impersonation', { allowedActorApplicationIds: ['nothing'] });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'entity.relation_foreign_key_not_found']);
  });

  it('requires a recent sign-in of the actor', async () => {
    await decide({ actorMaxAge: 1 });
    const old = await cast.spa.signIn(cast.alice);
    await expect
      .poll(async () => (await exchange(await cast.mint(), old)).body.error_description, { interval: 300 })
      .toBe('impersonation policy: the actor must have signed in within 1 s');
    await decide({ actorMaxAge: 600 });
    expect((await exchange(await cast.mint(), old)).status).toBe(200);
  });

  it('requires a strong sign-in of the actor', async () => {
    await decide({ requiredAcr: 'urn:understudy:acr:2fa' });
    expect((await exchange(await cast.mint())).body.error_description).toMatch(/must have acr urn:understudy:acr:2fa/);
    await decide({ requiredAcr: 'urn:understudy:acr:1fa' });
    expect((await exchange(await cast.mint())).status).toBe(200);
  });

  it('ends the impersonation of a replayed subject token if the policy says so', async () => {
    for (const [endOnReplay, isEnded] of [
      [false, false],
      [true, true],
    ] as const) {
      await decide({ endOnReplay });
      const subjectToken = await cast.mint();
      const { body } = await exchange(subjectToken);
      const { jti } = await verifyAccessToken(service, body.access_token, cast.resource);
      expect((await exchange(subjectToken)).body.error_description).toBe('subject token was already used');
      const { body: rows } = await service.api.call('GET /impersonations?page_size=100');
      expect(rows.find(({ id }: { id: string }) => id === jti).revokedAt !== null).toBe(isEnded);
    }
  });
});
