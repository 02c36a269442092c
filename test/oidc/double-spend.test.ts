import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { signIn } from '../../scripts/support/sign-in.ts';
import { postForm } from '../support/call.ts';
import { askToken, codeGrant, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('double spend on %s', (kind) => {
  it('returns the same next token for ten parallel refreshes and keeps the grant', async () => {
    await using service = await startService(kind);
    const { demo } = service.credentials;
    await service.api.must(`PATCH /applications/${demo.clientId}`, {
      customClientMetadata: { alwaysIssueRefreshToken: true, allowTokenExchange: true },
    });
    const { client, tokens } = await signIn({
      endpoint: service.url,
      clientId: demo.clientId,
      redirectUri: demo.redirectUri,
      person: demo.actor,
    });

    const refresh = () =>
      postForm(`${service.url}/oidc/token`, {
        grant_type: 'refresh_token',
        client_id: demo.clientId,
        refresh_token: tokens.refresh_token,
      });
    const answers = await Promise.all(Array.from({ length: 10 }, refresh));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    // All are within the grace period of three seconds, so they count as tabs of one application, not as theft.
    const successors = new Set(answers.map(({ body }) => body.refresh_token));
    expect(successors.size).toBe(1);
    const [successor] = successors;
    const next = await oauth.refreshTokenGrant(client, successor);
    expect(next.access_token).toBeTruthy();
  });

  it('issues tokens for one of ten parallel requests with the same code', async () => {
    await using service = await startService(kind);
    const { demo } = service.credentials;
    let used: URLSearchParams | undefined;
    const real = globalThis.fetch;
    // Sends the client's own request ten times.
    const spy: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/oidc/token') || used) return real(input, init);
      used = new URLSearchParams(String(init?.body));
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => postForm(String(input), Object.fromEntries(used as URLSearchParams))),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      return Response.json(answers.find(({ status }) => status === 200)?.body);
    };
    globalThis.fetch = spy;
    try {
      await signIn({
        endpoint: service.url,
        clientId: demo.clientId,
        redirectUri: demo.redirectUri,
        person: demo.actor,
      });
    } finally {
      globalThis.fetch = real;
    }
    expect(used?.get('grant_type')).toBe('authorization_code');
  });
});

it('returns the same next token for parallel refreshes at two processes with one PostgreSQL', async () => {
  await using first = await startService('postgres');
  const shared = { url: first.databaseUrl, dataDir: first.dataDir, [Symbol.asyncDispose]: async () => {} };
  await using second = await startService('postgres', {}, shared);
  const application = await registerApplication(first, 'SPA');
  let token: string = (await codeGrant(first, application)).body.refresh_token;
  for (let round = 0; round < 5; round += 1) {
    const form = { grant_type: 'refresh_token', refresh_token: token };
    const at = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? first : second));
    const answers = await Promise.all(at.map((service) => askToken(service, application, form)));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const successors = new Set(answers.map(({ body }) => body.refresh_token));
    expect([successors.size, successors.has(token)]).toEqual([1, false]);
    token = answers[0]?.body.refresh_token;
  }
});
