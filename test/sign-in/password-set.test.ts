import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { authorization, Visitor } from './visitor.ts';

describe.each(databases)('a password set by an administrator on %s', (kind) => {
  it("ends the user's sessions, refresh tokens and access tokens", async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    const { client, url, tokensAt } = await authorization(service, {
      scope: 'openid offline_access',
      prompt: 'consent',
    });
    await visitor.open(url);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    const tokens = await tokensAt(visitor.left as URL);
    await oauth.fetchUserInfo(client, tokens.access_token, actor.id);
    const { subjectToken } = await service.api.must('POST /subject-tokens', { userId: actor.id });

    await service.api.must(`PATCH /users/${actor.id}/password`, { password: 'violet harbour ninety' });
    await expect(oauth.fetchUserInfo(client, tokens.access_token, actor.id)).rejects.toThrow();
    await expect(oauth.refreshTokenGrant(client, tokens.refresh_token as string)).rejects.toThrow();
    visitor.left = undefined;
    await visitor.open((await authorization(service, { prompt: 'none' })).url);
    expect((visitor.left as URL | undefined)?.searchParams.get('error')).toBe('login_required');
    expect((await visitor.open(`${service.url}/account`)).url.pathname).toMatch(/^\/sign-in\//);
    // Tokens by which others act as this user are not the user's own.
    const [kept] = await service.api.must(`GET /subject-tokens?userId=${actor.id}`);
    expect([subjectToken, kept]).toEqual([expect.any(String), expect.objectContaining({ revokedAt: null })]);
  });
});
