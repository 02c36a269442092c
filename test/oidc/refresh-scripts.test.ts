import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { askToken, codeGrant, type OAuthApplication, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Its run lasts until the gate answers, so a test decides what happens while it runs. */
const GATED = `const getCustomJwtClaims = async ({ environmentVariables: { GATE } }) => {
  const { status } = await fetch(GATE);
  return { status };
};`;

const PASSWORD = 'correct horse battery';
/** More than may wait for one runner. */
const CROWD = 400;

describe.each(databases)('a refresh whose claims script has the last word, on %s', (kind) => {
  let service: TestService;
  let resource: string;
  let spa: OAuthApplication;
  let web: OAuthApplication;
  let gate: WebhookReceiver;
  let people = 0;

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

  /** A new user who is signed in, and their refresh token. */
  async function signedIn(application: OAuthApplication) {
    people++;
    const username = `person${people}`;
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

  it('does not spend the token when there are too many runs, so that the retry it asks for succeeds', async () => {
    const [{ token }, others] = [await signedIn(spa), await signedIn(spa)];
    await script(GATED);
    const held: ServerResponse[] = [];
    let isOpen = false;
    gate.behave((response) => void (isOpen ? response.end() : held.push(response)));
    const crowd = Array.from({ length: CROWD }, () => refresh(spa, others.token, { resource }));
    await Promise.race(crowd); // While the gate is shut, only those are answered for whom there is no room.
    const refused = await refresh(spa, token, { resource });
    expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    isOpen = true;
    for (const response of held) response.end();
    await Promise.all(crowd);
    await noScript();
    expect((await refresh(spa, token, { resource })).status).toBe(200);
  });

  /** Does the deed while the script runs, and says what the refresh then answers. */
  async function meanwhile(ask: () => Promise<Answer>, deed: () => Promise<unknown>): Promise<Answer> {
    await script(GATED);
    const arrival = Promise.withResolvers<ServerResponse>();
    gate.behave((response) => arrival.resolve(response));
    const answer = ask();
    const held = await arrival.promise;
    await deed();
    held.end();
    const settled = await answer;
    await noScript();
    return settled;
  }

  const suspended = (user: { id: string }, isSuspended: boolean) =>
    service.api.must(`PATCH /users/${user.id}/is-suspended`, { isSuspended });
  const deeds: [string, (its: { user: { id: string }; token: string; of: OAuthApplication }) => Promise<unknown>][] = [
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

  it.each(deeds.slice(0, 3))('gives no token for a code when %s while the script runs', async (_, deed) => {
    people++;
    const username = `person${people}`;
    const user: { id: string } = await service.api.must('POST /users', { username, password: PASSWORD });
    const { status, body } = await meanwhile(
      // Without `openid`, the token is for the one resource that was asked for.
      () => codeGrant(service, web, { resource, scope: 'offline_access' }, { username, password: PASSWORD }),
      () => deed({ user, token: '', of: web }),
    );
    expect([status, body.error, body.error_description]).toEqual([
      400,
      'invalid_grant',
      'the user was signed out, suspended or deleted meanwhile',
    ]);
  });

  it.each(deeds.flatMap(([what, deed]) => (['spa', 'web'] as const).map((type) => [what, type, deed] as const)))(
    'gives no token when %s while the script runs, to the %s application',
    async (_, type, deed) => {
      const of = { spa, web }[type];
      const { user, token } = await signedIn(of);
      const { status, body } = await meanwhile(
        () => refresh(of, token, { resource }),
        () => deed({ user, token, of }),
      );
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
      expect(body).not.toHaveProperty('access_token');
      expect((await refresh(of, token)).body.error).toBe('invalid_grant');
    },
  );
});
