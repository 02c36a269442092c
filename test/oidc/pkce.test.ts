import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const REDIRECT_URI = 'http://localhost:4400/callback';

describe.each(databases)('PKCE on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const register = async (type: string, customClientMetadata: object = {}): Promise<string> =>
    (
      await service.api.must('POST /applications', {
        name: type,
        type,
        oidcClientMetadata: { redirectUris: [REDIRECT_URI] },
        customClientMetadata,
      })
    ).id;
  /** Returns the redirect target of an authorization request: the application with an error, or the sign-in page. */
  async function authorize(client_id: string, besides: Record<string, string> = {}): Promise<URL> {
    const parameters = { client_id, redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid', ...besides };
    const url = `${service.url}/oidc/auth?${new URLSearchParams(parameters)}`;
    const { headers } = await fetch(url, { redirect: 'manual' });
    return new URL(headers.get('location') ?? '', service.url);
  }

  it.each(['Traditional', 'SPA', 'Native'])(
    'refuses an authorization request of type %s without a challenge',
    async (type) => {
      const refused = await authorize(await register(type));
      expect([refused.searchParams.get('error'), refused.searchParams.get('error_description')]).toEqual([
        'invalid_request',
        expect.stringContaining('PKCE'),
      ]);
    },
  );

  it('refuses the plain challenge method', async () => {
    const plain = { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' };
    expect((await authorize(await register('Traditional'), plain)).searchParams.get('error')).toBe('invalid_request');
    const { code_challenge } = plain;
    expect((await authorize(await register('Traditional'), { code_challenge })).searchParams.get('error')).toBe(
      'invalid_request',
    );
  });

  it('accepts a request without PKCE from a confidential application that does not require it', async () => {
    const { pathname } = await authorize(await register('Traditional', { requirePkce: false }));
    expect(pathname).toMatch(/^\/sign-in\//);
  });
});
