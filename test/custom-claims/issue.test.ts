import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

describe.each(databases)('a claims script on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  beforeAll(async () => {
    service = await startService(kind, { SCRIPT_FETCH_ALLOWED_HOSTS: '127.0.0.1', SANDBOX_TIMEOUT_MS: '5000' });
    cast = castOf(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const upload = (body: string, besides: object = {}) =>
    service.api.must('PUT /configs/jwt-customizer/access-token', {
      script: `const getCustomJwtClaims = async ({ token, context, environmentVariables, api }) => { ${body} };`,
      ...besides,
    });
  const exchange = async () => cast.spa.exchange({ subject_token: await cast.mint({ context: { ticketId: 'T-1' } }) });
  const runs = () => service.api.must('GET /configs/jwt-customizer/access-token/runs');

  it('receives token, context and environment variables', async () => {
    await upload('return { seen: { token, context, environmentVariables } };', {
      environmentVariables: { KEY: 'value' },
    });
    const { seen } = decodeJwt<{ seen: Record<string, Record<string, unknown>> }>((await exchange()).body.access_token);
    expect(seen.environmentVariables).toEqual({ KEY: 'value' });
    expect(seen.token).toMatchObject({
      kind: 'AccessToken',
      clientId: cast.spa.clientId,
      accountId: cast.bob.id,
      gty: 'urn:ietf:params:oauth:grant-type:token-exchange',
      aud: cast.resource,
      scope: cast.scope,
      extra: { subjectTokenId: expect.any(String) },
    });
    expect(seen.context).toMatchObject({
      grant: { type: 'urn:ietf:params:oauth:grant-type:token-exchange', subjectTokenContext: { ticketId: 'T-1' } },
      user: {
        id: cast.bob.id,
        username: 'customer',
        hasPassword: false,
        roles: [{ scopes: [{ name: cast.scope, resource: { indicator: cast.resource } }] }],
      },
      application: { id: cast.spa.clientId },
    });
    expect(JSON.stringify(seen)).not.toMatch(/passwordHash|signingKey|\$argon2/);
  });

  it('cannot set reserved claims, and the run log lists those that were dropped', async () => {
    const forged = {
      act: { sub: 'mallory' },
      sub: 'mallory',
      scope: 'all',
      cnf: {},
      exp: 9e9,
      organization_id: 'x',
      azp: 'x',
      active: false,
      token_type: 'mac',
      username: 'mallory',
      fine: 1,
    };
    await upload(`console.log('forging'); return ${JSON.stringify(forged)};`);
    const { body } = await exchange();
    expect(decodeJwt(body.access_token)).toMatchObject({ sub: cast.bob.id, scope: cast.scope, fine: 1 });
    for (const claim of ['act', 'cnf', 'organization_id', 'azp', 'active', 'token_type', 'username'])
      expect(decodeJwt(body.access_token)).not.toHaveProperty(claim);
    await expect.poll(async () => (await runs())[0]?.droppedClaims?.length).toBe(10);
    expect((await runs())[0]).toMatchObject({
      result: 'ok',
      console: [{ level: 'log', text: 'forging' }],
      userId: cast.bob.id,
    });
  });

  it('does not block issuance when it fails if `blockIssuanceOnError` is off', async () => {
    await upload('throw new Error("no luck")', { blockIssuanceOnError: false });
    expect((await exchange()).status).toBe(200);
  });

  it('denies the token even if it catches its own denial', async () => {
    await upload('try { api.denyAccess("not today"); } catch {} return {};', { blockIssuanceOnError: false });
    const { status, body } = await exchange();
    expect([status, body.error, body.error_description]).toEqual([400, 'access_denied', 'not today']);
  });

  it('can fetch from hosts that the operator allowed, and no others', async () => {
    await using receiver = await WebhookReceiver.start({
      behaviour: (response) => void response.end('{"tier":"gold"}'),
    });
    await upload(`const answer = await fetch('${receiver.url}'); return await answer.json();`);
    expect(decodeJwt((await exchange()).body.access_token)).toMatchObject({ tier: 'gold' });
    await upload(
      `try { await fetch('http://localhost:1/'); } catch (error) { return { refused: String(error.message) }; }`,
    );
    expect(decodeJwt((await exchange()).body.access_token).refused).toMatch(/localhost are not allowed/);
  });

  it('is refused with line and column if it does not compile', async () => {
    const { status, body } = await service.api.call('PUT /configs/jwt-customizer/access-token', {
      script: 'const getCustomJwtClaims = () => {\n  return {{;\n};',
    });
    expect([status, body.code]).toEqual([422, 'jwt_customizer.general']);
    expect(JSON.stringify(body)).toMatch(/line|2/);
  });

  // Must be last: two of these put their tenant in quarantine, where runs have lower CPU priority.
  it.each([
    ['throws', 'throw new Error("no luck")', /no luck/],
    ['loops', 'for (;;) {}', /./],
    ['never settles', 'await new Promise(() => {})', /./],
    ['returns no object', 'return [1]', /./],
    ['keeps a native built-in busy past every limit', 'Array.from({ length: 1e9 })', /./],
  ])('that %s fails the request, and the subject token remains usable', async (_, body, reason) => {
    await service.api.must('PATCH /configs/sandbox', { timeoutMs: 500 });
    await upload(body);
    const subjectToken = await cast.mint();
    const refused = await cast.spa.exchange({ subject_token: subjectToken });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
    expect(refused.body.error_description).toMatch(/^Custom claims script error: /);
    expect(refused.body.error_description).toMatch(reason);
    await service.api.must('DELETE /configs/jwt-customizer/access-token');
    expect((await cast.spa.exchange({ subject_token: subjectToken })).status).toBe(200);
  });
});
