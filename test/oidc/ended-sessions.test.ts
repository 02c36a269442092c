import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Visitor } from '../sign-in/visitor.ts';
import { askToken, type OAuthApplication, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const PASSWORD = 'correct horse battery';
const VERIFIER = 'v'.repeat(43);
/** Rounds; each ends the session at another moment of the requests in progress. */
const ROUNDS = 6;
/** Concurrent requests of one browser. */
const TABS = 2;

interface SignedIn {
  id: string;
  visitor: Visitor;
  code: string;
}

describe.each(databases)('ended sessions and grants on %s', (kind) => {
  let service: TestService;
  let application: OAuthApplication;
  let userCount = 0;
  beforeAll(async () => {
    service = await startService(kind, { RATE_LIMIT_AUTHORIZATION: '100000', RATE_LIMIT_TOKEN: '100000' });
    application = await registerApplication(service, 'SPA');
  });
  afterAll(() => service[Symbol.asyncDispose]());

  function authorization(parameters: Record<string, string> = {}, { clientId, redirectUri } = application): URL {
    const url = new URL(`${service.url}/oidc/auth`);
    url.search = String(
      new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid offline_access',
        code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
        code_challenge_method: 'S256',
        ...parameters,
      }),
    );
    return url;
  }

  async function signIn(as = application): Promise<SignedIn> {
    userCount += 1;
    const username = `person${userCount}`;
    const { id } = await service.api.must('POST /users', { username, password: PASSWORD });
    const visitor = new Visitor(service.url);
    await visitor.open(authorization({ prompt: 'login consent' }, as));
    await visitor.submit('identifier', { identifier: username });
    await visitor.submit('password', { password: PASSWORD });
    return { id, visitor, code: visitor.left?.searchParams.get('code') as string };
  }

  /** Sends an authorization request with `prompt=none` and the cookies of the sign-in, and returns its code or error. */
  async function silently(cookie: string, parameters: Record<string, string> = {}, as = application) {
    const response = await fetch(authorization({ prompt: 'none', ...parameters }, as), {
      headers: { cookie },
      redirect: 'manual',
    });
    const { searchParams } = new URL(response.headers.get('location') ?? '', service.url);
    return { status: response.status, code: searchParams.get('code'), error: searchParams.get('error') };
  }

  const cookieOf = ({ cookies }: Visitor): string =>
    cookies
      .filter(({ path }) => path === '/')
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  const redeem = (code: string, as = application) =>
    askToken(service, as, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: as.redirectUri,
      code_verifier: VERIFIER,
    });
  const sessionsOf = async (id: string) => (await service.api.must(`GET /users/${id}/sessions`)).sessions;
  const grantsOf = async (id: string) => (await service.api.must(`GET /users/${id}/grants`)).grants;
  const setSuspended = (id: string, isSuspended: boolean) =>
    service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended });

  const ends: [string, (person: SignedIn) => Promise<unknown>][] = [
    [
      'its deletion',
      async ({ id }) => {
        for (const { payload } of await sessionsOf(id))
          await service.api.must(`DELETE /users/${id}/sessions/${payload.uid}`);
      },
    ],
    ['a new password', ({ id }) => service.api.must(`PATCH /users/${id}/password`, { password: PASSWORD })],
    ['a suspension', ({ id }) => setSuspended(id, true).then(() => setSuspended(id, false))],
    [
      'a sign-out',
      async ({ visitor }) => {
        await visitor.open(`${service.url}/oidc/session/end`);
        const { status } = await visitor.submit('end/confirm', { logout: 'yes' });
        expect(status).toBe(200);
      },
    ],
  ];

  it.each(ends)('does not restore a session that requests have loaded during %s', async (how, end) => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await signIn();
      const cookie = cookieOf(person.visitor);
      // This application has no grant yet, so the requests create one.
      const other = await registerApplication(service, 'SPA');
      const requests = { count: 0, codes: [] as string[], isOver: false };
      const tabs = Array.from({ length: TABS }, async (_, tab) => {
        while (!requests.isOver) {
          const as = tab === 0 ? application : other;
          const { status, code } = await silently(cookie, {}, as);
          expect(status).toBe(303);
          requests.count += 1;
          if (code && as === other) requests.codes.push(code);
        }
      });
      await expect.poll(() => requests.count, { timeout: 20_000, interval: 5 }).toBeGreaterThan(round);
      await end(person);
      const atEnd = requests.count;
      await expect.poll(() => requests.count, { timeout: 20_000, interval: 5 }).toBeGreaterThan(atEnd + TABS);
      requests.isOver = true;
      await Promise.all(tabs);

      expect([how, round, await silently(cookie)]).toEqual([
        how,
        round,
        { status: 303, code: null, error: 'login_required' },
      ]);
      expect(await sessionsOf(person.id)).toEqual([]);
      // Earlier grants with offline access survive a sign-out, but nothing else.
      if (how === 'a sign-out') continue;
      expect(await grantsOf(person.id)).toEqual([]);
      for (const code of requests.codes) expect((await redeem(code, other)).status).toBe(400);
    }
  });

  it('does not restore an ended grant or its refresh token when a request adds scopes at the same time', async () => {
    const indicators = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const indicator = `https://wider${index}.example`;
        const { id } = await service.api.must('POST /resources', { name: indicator, indicator });
        await service.api.must(`POST /resources/${id}/scopes`, { name: 'read', description: 'read' });
        return indicator;
      }),
    );
    for (let round = 0; round < ROUNDS; round++) {
      const { id, visitor, code } = await signIn();
      const { body: tokens } = await redeem(code);
      const [grant] = await grantsOf(id);
      const cookie = cookieOf(visitor);
      let widened = 0;
      const widening = (async () => {
        for (const resource of indicators) {
          await silently(cookie, { scope: 'openid read', resource });
          widened += 1;
        }
      })();
      await expect.poll(() => widened, { timeout: 20_000, interval: 2 }).toBeGreaterThan(round);
      await service.api.must(`DELETE /users/${id}/grants/${grant.id}`);
      await widening;
      expect((await grantsOf(id)).map((one: { id: string }) => one.id)).not.toContain(grant.id);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      expect((await askToken(service, application, form)).body.error).toBe('invalid_grant');
    }
  });

  it('deletes every row of an ended grant', async () => {
    const { id, code } = await signIn();
    const { body: tokens } = await redeem(code);
    const [grant] = await grantsOf(id);
    await service.api.must(`DELETE /users/${id}/grants/${grant.id}`);
    const { body } = await askToken(service, application, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    expect(body.error_description).toBe('refresh token is unknown or was revoked');
  });
});
