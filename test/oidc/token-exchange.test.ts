import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS_TOKEN, IMPERSONATION_TOKEN } from '../../src/tokens/urns.ts';
import { postForm } from '../support/call.ts';
import { type Cast, castOf, verifyAccessToken } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('token exchange on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let actorToken: string;

  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    actorToken = await cast.spa.signIn(cast.alice);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Exchanges a new subject token, with some parameters changed. */
  const exchange = async (parameters: Record<string, string | string[] | undefined>) =>
    cast.spa.exchange({ subject_token: await cast.mint(), ...parameters });

  const refusals: [string, () => Record<string, string | string[] | undefined>, string, RegExp][] = [
    ['no subject token', () => ({ subject_token: undefined }), 'invalid_request', /subject_token is required/],
    [
      'an unknown subject token',
      () => ({ subject_token: 'sub_unknown' }),
      'invalid_request',
      /subject token is unknown/,
    ],
    [
      'no subject token type',
      () => ({ subject_token_type: undefined }),
      'invalid_request',
      /subject_token_type must be/,
    ],
    [
      'another subject token type',
      () => ({ subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
      'invalid_request',
      /subject_token_type must be/,
    ],
    [
      'another requested token type',
      () => ({ requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }),
      'invalid_request',
      /requested_token_type/,
    ],
    [
      'an access token as subject token',
      () => ({ subject_token: actorToken }),
      'invalid_request',
      /subject token is unknown/,
    ],
    ['a repeated parameter', () => ({ scope: ['a', 'b'] }), 'invalid_request', /scope/],
    [
      'neither resource nor organization',
      () => ({ resource: undefined }),
      'invalid_target',
      /resource or organization_id is required/,
    ],
    [
      'an unregistered resource',
      () => ({ resource: 'https://unknown.example.com' }),
      'invalid_target',
      /not registered/,
    ],
    ['a trailing slash', () => ({ resource: `${cast.resource}/` }), 'invalid_target', /not registered/],
    ['several resources', () => ({ resource: [cast.resource, cast.resource] }), 'invalid_target', /only one resource/],
    [
      'the Management API',
      () => ({ resource: service.credentials.managementApiIndicator }),
      'invalid_target',
      /not available to users/,
    ],
    ['an audience', () => ({ audience: cast.resource }), 'invalid_target', /audience is not supported/],
    ['an empty actor token', () => ({ actor_token: '' }), 'invalid_request', /actor_token must not be empty/],
    [
      'an actor token without its type',
      () => ({ actor_token: actorToken, actor_token_type: undefined }),
      'invalid_request',
      /actor_token_type is required/,
    ],
    [
      'a type without an actor token',
      () => ({ actor_token_type: ACCESS_TOKEN }),
      'invalid_request',
      /without actor_token/,
    ],
    [
      'another actor token type',
      () => ({ actor_token: actorToken, actor_token_type: 'urn:ietf:params:oauth:token-type:jwt' }),
      'invalid_request',
      /actor_token_type must be/,
    ],
    ['an unknown actor token', () => ({ actor_token: 'unknown' }), 'invalid_request', /actor token is not valid/],
  ];

  it.each(refusals)('refuses %s and leaves the subject token usable', async (_, parameters, error, reason) => {
    const subjectToken = await cast.mint();
    const refused = await cast.spa.exchange({ subject_token: subjectToken, ...parameters() });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error,
      code: `oidc.${error}`,
      error_description: expect.stringMatching(reason),
    });
    expect((await cast.spa.exchange({ subject_token: subjectToken })).status).toBe(200);
  });

  it('accepts the token type URN of the Logto SDKs', async () => {
    expect((await exchange({ subject_token_type: IMPERSONATION_TOKEN })).status).toBe(200);
  });

  it('grants the requested scopes that the subject has, in the order of the request', async () => {
    const { body } = await exchange({ scope: `unknown ${cast.scope} openid ${cast.scope}` });
    expect(body.scope).toBe(cast.scope);
    expect((await exchange({ scope: undefined })).body.scope).toBe('');
    expect((await exchange({ scope: 'unknown' })).body.scope).toBe('');
  });

  it('names the reason why an actor token is refused', async () => {
    const { body: machine } = await postForm(
      `${service.url}/oidc/token`,
      { grant_type: 'client_credentials', resource: service.credentials.managementApiIndicator, scope: 'all' },
      {
        authorization: `Basic ${btoa(`${service.credentials.machine.clientId}:${service.credentials.machine.clientSecret}`)}`,
      },
    );
    expect((await exchange({ actor_token: machine.access_token })).body.error_description).toMatch(/is a JWT/);
    const issued = await exchange({ actor_token: actorToken });
    expect((await exchange({ actor_token: issued.body.access_token })).body.error_description).toMatch(/is a JWT/);
  });

  it('refuses an actor who is the subject', async () => {
    const { subjectToken } = await service.api.must('POST /subject-tokens', { userId: cast.alice.id });
    const { body } = await cast.spa.exchange({ subject_token: subjectToken, actor_token: actorToken });
    expect(body.error_description).toBe('actor and subject are the same user');
  });

  it('refuses a suspended actor at once', async () => {
    const carol = await service.api.must('POST /users', { username: 'carol', password: 'correct horse battery' });
    const token = await cast.spa.signIn({ username: 'carol', password: 'correct horse battery' });
    expect((await exchange({ actor_token: token })).status).toBe(200);
    await service.api.must(`PATCH /users/${carol.id}/is-suspended`, { isSuspended: true });
    expect((await exchange({ actor_token: token })).body.error_description).toBe('actor token is not valid');
  });

  it('refuses a suspended subject when minting, and revokes unspent subject tokens', async () => {
    const dave = await service.api.must('POST /users', { username: 'dave' });
    const { subjectToken } = await service.api.must('POST /subject-tokens', { userId: dave.id });
    await service.api.must(`PATCH /users/${dave.id}/is-suspended`, { isSuspended: true });
    const minted = await service.api.call('POST /subject-tokens', { userId: dave.id });
    expect([minted.status, minted.body.code]).toEqual([422, 'user.suspended']);
    const { status, body } = await cast.spa.exchange({ subject_token: subjectToken });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    await service.api.must(`PATCH /users/${dave.id}/is-suspended`, { isSuspended: false });
    expect((await cast.spa.exchange({ subject_token: subjectToken })).status).toBe(400);
  });

  it('accepts a bound subject token only for its application, actor and resource', async () => {
    const bound = async (besides: object) => cast.mint(besides as Record<string, unknown>);
    const { machine } = service.credentials;
    for (const [besides, error] of [
      [{ clientId: machine.clientId }, 'invalid_request'],
      [{ actorId: cast.alice.id }, 'invalid_request'],
      [{ resource: service.credentials.managementApiIndicator }, 'invalid_target'],
    ] as const) {
      const { status, body } = await cast.spa.exchange({ subject_token: await bound(besides) });
      expect([status, body.error, body.error_description]).toEqual([
        400,
        error,
        expect.stringMatching(/^subject token is bound to another/),
      ]);
    }
    const matching = await bound({ clientId: cast.spa.clientId, actorId: cast.alice.id, resource: cast.resource });
    expect((await cast.spa.exchange({ subject_token: matching, actor_token: actorToken })).status).toBe(200);
  });

  it('requires allowTokenExchange, and names it', async () => {
    const application = await service.api.must('POST /applications', { name: 'Plain', type: 'SPA' });
    const { status, body } = await exchange({ client_id: application.id });
    expect([status, body.error]).toEqual([400, 'unauthorized_client']);
    expect(body.error_description).toMatch(/allowTokenExchange/);
  });

  it('names the subject and the actor of a refused exchange in its audit entry, as far as it found out', async () => {
    const context = { ticketId: `refused on ${kind}` };
    const mint = () => cast.mint({ context });
    const unknown = { resource: 'https://unknown.example' };
    await cast.spa.exchange({ subject_token: await mint(), actor_token: actorToken, ...unknown });
    const bound = await cast.mint({ context, clientId: service.credentials.machine.clientId });
    await cast.spa.exchange({ subject_token: bound, actor_token: actorToken });
    const entries = async () =>
      (await service.api.must('GET /logs?logKey=Impersonation.Refused&page_size=100'))
        .map(({ payload: { userId, actorId, details } }: { payload: Record<string, Record<string, unknown>> }) => ({
          userId,
          actorId,
          error: details?.error,
          context: details?.context,
        }))
        .filter((entry: { context: unknown }) => JSON.stringify(entry.context) === JSON.stringify(context));
    await expect.poll(entries).toEqual([
      { userId: cast.bob.id, actorId: cast.alice.id, error: 'invalid_request', context },
      { userId: cast.bob.id, actorId: undefined, error: 'invalid_target', context },
    ]);
  });

  it('writes the impersonation and its audit row in the transaction of the spend', async () => {
    const { body } = await cast.spa.exchange({
      subject_token: await cast.mint({ context: { ticketId: 'T-9', reason: 'why' } }),
      actor_token: actorToken,
    });
    const { jti } = await verifyAccessToken(service, body.access_token, cast.resource);
    const { body: rows } = await service.api.call(`GET /impersonations?actorId=${cast.alice.id}&page_size=100`);
    expect(rows.find(({ id }: { id: string }) => id === jti)).toMatchObject({
      subjectId: cast.bob.id,
      actorId: cast.alice.id,
      applicationId: cast.spa.clientId,
      resource: cast.resource,
      scope: cast.scope,
      context: { ticketId: 'T-9', reason: 'why' },
      revokedAt: null,
    });
    const { body: logs } = await service.api.call('GET /logs?logKey=Impersonation.Begin&page_size=100');
    expect(
      logs.some(
        ({ payload }: { payload: { details: { impersonationId?: string } } }) =>
          payload.details.impersonationId === jti,
      ),
    ).toBe(true);
  });
});
