import LogtoClient, { type Storage } from '@logto/node';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/start-service.ts';
import { authorization, Visitor } from './visitor.ts';

const REDIRECT_URI = 'http://127.0.0.1:1/callback';
const SIGNED_OUT_URI = 'http://127.0.0.1:1/signed-out';

async function webApplication(service: TestService) {
  const { id: appId } = await service.api.must('POST /applications', {
    name: 'Web shop',
    type: 'Traditional',
    oidcClientMetadata: { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [SIGNED_OUT_URI] },
  });
  const { value: appSecret } = await service.api.must(`POST /applications/${appId}/secrets`, { name: 'first' });
  return { appId, appSecret };
}

async function signIn(visitor: Visitor, { credentials: { demo } }: TestService): Promise<void> {
  await visitor.submit('identifier', { identifier: demo.actor.username });
  await visitor.submit('password', { password: demo.actor.password });
}

function memory(): Storage<string> {
  const items = new Map<string, string>();
  return {
    getItem: async (key: string) => items.get(key) ?? null,
    setItem: async (key: string, value: string) => void items.set(key, value),
    removeItem: async (key: string) => void items.delete(key),
  };
}

describe('third-party client libraries', () => {
  it('@logto/node signs in, reads the claims, refreshes and signs out', async () => {
    await using service = await startService('sqlite');
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    let target = '';
    const navigate = (url: string) => {
      target = url;
    };
    const client = new LogtoClient(
      { endpoint: `${service.url}/`, ...(await webApplication(service)), scopes: ['email'] },
      { navigate, storage: memory() },
    );
    await client.signIn({ redirectUri: REDIRECT_URI });
    await visitor.open(target);
    await signIn(visitor, service);
    await client.handleSignInCallback(String(visitor.left));

    expect(await client.isAuthenticated()).toBe(true);
    expect(await client.getIdTokenClaims()).toMatchObject({ sub: actor.id, username: actor.username });
    expect(await client.fetchUserInfo()).toMatchObject({ sub: actor.id });
    expect(await client.getAccessToken()).toEqual(expect.any(String));

    await client.signOut(SIGNED_OUT_URI);
    await visitor.open(target);
    await visitor.submit('end/confirm', { logout: 'yes' });
    expect(visitor.left?.href.startsWith(SIGNED_OUT_URI)).toBe(true);
    expect(await client.isAuthenticated()).toBe(false);
  });

  it('openid-client signs in by code and PKCE, refreshes, and signs out (RP-initiated logout)', async () => {
    await using service = await startService('sqlite');
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'Single page',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [SIGNED_OUT_URI] },
    });
    const spa = { clientId, redirectUri: REDIRECT_URI };
    const visitor = new Visitor(service.url);
    const { client, url, tokensAt } = await authorization(
      service,
      { scope: 'openid offline_access', prompt: 'consent' },
      spa,
    );
    await visitor.open(url);
    await signIn(visitor, service);
    const tokens = await tokensAt(visitor.left as URL);
    const refreshed = await oauth.refreshTokenGrant(client, tokens.refresh_token as string);
    expect(refreshed.claims()?.sub).toBe(service.credentials.demo.actor.id);

    visitor.left = undefined;
    const end = oauth.buildEndSessionUrl(client, {
      id_token_hint: tokens.id_token as string,
      post_logout_redirect_uri: SIGNED_OUT_URI,
      state: 'back',
    });
    await visitor.open(end);
    await visitor.submit('end/confirm', { logout: 'yes' });
    expect(String(visitor.left)).toBe(`${SIGNED_OUT_URI}?state=back`);
    const after = await visitor.open((await authorization(service, {}, spa)).url);
    expect(after.text).toContain('Sign in to');
  });
});
