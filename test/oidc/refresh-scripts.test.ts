import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { askToken, codeGrant, type OAuthApplication, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Runs until the gate responds, so that a test can make changes while it runs. */
const GATED = `const getCustomJwtClaims = async ({ environmentVariables: { GATE } }) => {
  const { status } = await fetch(GATE);
  return { status };
};`;

const PASSWORD = 'correct horse battery';
/** More runs than may wait for one runner. */
const CROWD = 400;

describe.each(databases)('a refresh with a claims script on %s', (kind) => {
  let service: TestService;
  let resource: string;
  let spa: OAuthApplication;
  let web: OAuthApplication;
  let gate: WebhookReceiver;
  let userCount = 0;

  beforeAll(async () => {
    gate = await WebhookReceiver.start();
    service = await startService(kind, {
      SCRIPT_FETCH_ALLOWED_HOSTS: '127.0.0.1',
      SANDBOX_TIMEOUT_MS: '10000',
      RATE_LIMIT_TOKEN: '100000',
    });
    ({ resource } = castOf(service));
    spa = await registerApplication(service, 'SPA');
    web = await registerApplication(service, 'Traditional');
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await gate.stop();
  });

  const script = (text: string) =>
    service.api.must('PUT /configs/jwt-customizer/access-token', {
      script: text,
      environmentVariables: { GATE: gate.url },
    });
  const noScript = () => service.api.must('DELETE /configs/jwt-customizer/access-token');
  const refresh = (application: OAuthApplication, token: string, form: Record<string, string> = {}) =>
    askToken(service, application, { grant_type: 'refresh_token', refresh_token: token, ...form });

  /** Creates a user, signs the user in and returns the refresh token. */
  async function signedIn(application: OAuthApplication) {
    userCount++;
    const username = `person${userCount}`;
    const user: { id: string } = await service.api.must('POST /users', { username, password: PASSWORD });
    const { body } = await codeGrant(service, application, { resource }, { username, password: PASSWORD });
    return { user, token: body.refresh_token as string };
  }

  it.each([
    ['denies', `const getCustomJwtClaims = ({ api }) => api.denyAccess('not now');`, 'access_denied'],
    ['fails', `const getCustomJwtClaims = () => { throw new Error('broken'); };`, 'invalid_request'],
    ['never ends', 'const getCustomJwtClaims = () => { for (;;); };', 'invalid_request'],
  ])('does not spend the token when the script %s', async (_, text, error) => {
    const { token } = await signedIn(spa);
    await script(text);
    await service.api.must('PATCH /configs/sandbox', { timeoutMs: 1_000 });
    const refused = await refresh(spa, token, { resource });
    expect([refused.status, refused.body.error]).toEqual([400, error]);
    await service.api.must('PATCH /configs/sandbox', { timeoutMs: 10_000 });
    await noScript();
    const { status, body } = await refresh(spa, token, { resource });
    expect([status, body.refresh_token === token]).toEqual([200, false]);
  });

  it('does not spend the token when there are too many runs, so that a retry succeeds', async () => {
    const [{ token }, others] = [await signedIn(spa), await signedIn(spa)];
    await script(GATED);
    const held: ServerResponse[] = [];
    let isOpen = false;
    gate.behave((response) => void (isOpen ? response.end() : held.push(response)));
    const crowd = Array.from({ length: CROWD }, () => refresh(spa, others.token, { resource }));
    await Promise.race(crowd); // While the gate is closed, only refused requests get a response.
    const refused = await refresh(spa, token, { resource });
    expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    isOpen = true;
    for (const response of held) response.end();
    await Promise.all(crowd);
    await noScript();
    expect((await refresh(spa, token, { resource })).status).toBe(200);
  });

  /** Makes a change while the script runs and returns the response of the refresh. */
  async function duringScript(ask: () => Promise<Answer>, makeChange: () => Promise<unknown>): Promise<Answer> {
    await script(GATED);
    const arrival = Promise.withResolvers<ServerResponse>();
    gate.behave((response) => arrival.resolve(response));
    const answer = ask();
    const held = await arrival.promise;
    await makeChange();
    held.end();
    const settled = await answer;
    await noScript();
    return settled;
  }

  const suspended = (user: { id: string }, isSuspended: boolean) =>
    service.api.must(`PATCH /users/${user.id}/is-suspended`, { isSuspended });
  const userChanges: [
    string,
    (its: { user: { id: string }; token: string; of: OAuthApplication }) => Promise<unknown>,
  ][] = [
    ['the user is suspended', ({ user }) => suspended(user, true)],
    ['the user is suspended and reinstated', ({ user }) => suspended(user, true).then(() => suspended(user, false))],
    ['the user is deleted', ({ user }) => service.api.must(`DELETE /users/${user.id}`)],
    [
      'the application revokes the token',
      ({ token, of }) =>
        postForm(`${service.url}/oidc/token/revocation`, {
          token,
          client_id: of.clientId,
          client_secret: of.clientSecret,
        }),
    ],
  ];

  it.each(userChanges.slice(0, 3))('refuses a code when %s while the script runs', async (_, makeChange) => {
    userCount++;
    const username = `person${userCount}`;
    const user: { id: string } = await service.api.must('POST /users', { username, password: PASSWORD });
    const { status, body } = await duringScript(
      // Without `openid`, the token is for the only requested resource.
      () => codeGrant(service, web, { resource, scope: 'offline_access' }, { username, password: PASSWORD }),
      () => makeChange({ user, token: '', of: web }),
    );
    expect([status, body.error, body.error_description]).toEqual([
      400,
      'invalid_grant',
      'the user was signed out, suspended or deleted during the request',
    ]);
  });

  it.each(
    userChanges.flatMap(([what, makeChange]) =>
      (['spa', 'web'] as const).map((type) => [what, type, makeChange] as const),
    ),
  )('issues no token when %s while the script runs, to the %s application', async (_, type, makeChange) => {
    const of = { spa, web }[type];
    const { user, token } = await signedIn(of);
    const { status, body } = await duringScript(
      () => refresh(of, token, { resource }),
      () => makeChange({ user, token, of }),
    );
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect(body).not.toHaveProperty('access_token');
    expect((await refresh(of, token)).body.error).toBe('invalid_grant');
  });
});
