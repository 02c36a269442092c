import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { authorization, Visitor } from './visitor.ts';

const REDIRECT_URI = 'https://third.example/callback';

describe.each(databases)('consent on %s', (kind) => {
  it('asks once for a third-party application, lists the requested scopes, and lets the user deny them', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'Calendar <b>sync</b>',
      type: 'SPA',
      isThirdParty: true,
      oidcClientMetadata: { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [] },
    });
    const application = { clientId, redirectUri: REDIRECT_URI };
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service, {}, application)).url);
    await visitor.submit('identifier', { identifier: actor.username });
    const asked = await visitor.submit('password', { password: actor.password });
    expect(asked.text).toContain('Allow Calendar <b>sync</b> to access your account?');
    expect(asked.html).not.toContain('<b>sync');
    expect(asked.text).toContain('see your name, picture and profile details');
    expect(asked.text).toContain(`Signed in as ${actor.username}`);

    await visitor.submit('consent', { decision: 'deny' });
    expect(visitor.left?.searchParams.get('error')).toBe('access_denied');

    visitor.left = undefined;
    const second = await authorization(service, {}, application);
    await visitor.open(second.url);
    await visitor.submit('consent', { decision: 'allow' });
    expect((await second.tokensAt(visitor.left as unknown as URL)).claims()?.sub).toBe(actor.id);

    visitor.left = undefined;
    const third = await authorization(service, {}, application);
    await visitor.open(third.url);
    expect((await third.tokensAt(visitor.left as unknown as URL)).claims()?.sub).toBe(actor.id);
  });
});

describe('sign-out', () => {
  it('asks, signs out, and returns only to a registered redirect URI', async () => {
    await using service = await startService('sqlite');
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service);
    await visitor.open(url);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    const { id_token: idToken } = await tokensAt(visitor.left as URL);

    const end = new URL(`${service.url}/oidc/session/end`);
    end.searchParams.set('id_token_hint', String(idToken));
    end.searchParams.set('post_logout_redirect_uri', 'https://evil.example/');
    const refused = await visitor.open(end);
    expect(refused).toMatchObject({
      status: 400,
      text: expect.stringContaining('post_logout_redirect_uri not registered'),
    });
    expect(refused.text).toContain('Something is wrong with this sign-out link');
    expect(refused.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");

    end.searchParams.delete('post_logout_redirect_uri');
    const question = await visitor.open(end);
    expect(question.text).toContain('Sign out of');
    const done = await visitor.submit('end/confirm', { logout: 'yes' });
    expect(done.text).toContain('You are signed out');
    const after = await visitor.open((await authorization(service)).url);
    expect(after.text).toContain('Sign in to');
  });
});
