import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Requests that a browser sends by GET or POST (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). */
describe.each(databases)('browser requests on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const post = (body: URLSearchParams | string): RequestInit => ({
    method: 'POST',
    body: String(body),
    headers: { 'content-type': FORM },
  });
  const at = (path: string) => new URL(`${service.url}/oidc${path}`);

  const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;

  async function signedIn(visitor: Visitor, parameters: Record<string, string> = {}) {
    const { actor } = service.credentials.demo;
    const { url, tokensAt } = await authorization(service, parameters);
    visitor.left = undefined;
    await visitor.open(at('/auth'), post(url.searchParams));
    if (!visitor.left) {
      await visitor.submit('identifier', { identifier: actor.username });
      await visitor.submit('password', { password: actor.password });
    }
    return tokensAt(visitor.left as unknown as URL);
  }

  it('accepts a posted authorization request and finds the session in the next one', async () => {
    const visitor = new Visitor(service.url);
    const tokens = await signedIn(visitor);
    expect(tokens.claims()?.sub).toBe(service.credentials.demo.actor.id);
    const again = await signedIn(visitor, { prompt: 'none' });
    expect(again.claims()?.sub).toBe(service.credentials.demo.actor.id);
  });

  it('refuses a posted request that would be too long as a URL', async () => {
    const claims = JSON.stringify({
      id_token: Object.fromEntries(Array.from({ length: 420 }, (_, at) => [`c${at}`, null])),
    });
    const body = `client_id=x&claims=${claims}`;
    expect(body.length).toBeLessThan(8 * 1024);
    const response = await fetch(at('/auth'), { ...post(body), redirect: 'manual' });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error_description: 'the request is larger than 8192 bytes' },
    ]);
  });

  it('keeps every parameter of a posted request as it was sent', async () => {
    const state = 'a b&c=d\r\nset-cookie: x=y é"';
    const response = await fetch(at('/auth'), {
      ...post(
        new URLSearchParams([
          ['client_id', 'x'],
          ['state', state],
          ['resource', 'a'],
          ['resource', 'b'],
        ]),
      ),
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
    const target = new URL(response.headers.get('location') as string);
    expect([target.origin + target.pathname, target.searchParams.get('state')]).toEqual([at('/auth').href, state]);
    expect(target.searchParams.getAll('resource')).toEqual(['a', 'b']);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('signs out after a posted request when the user confirms', async () => {
    const visitor = new Visitor(service.url);
    const { id_token: hint } = await signedIn(visitor);
    const question = await visitor.open(at('/session/end'), post(new URLSearchParams({ id_token_hint: String(hint) })));
    expect(question.text).toContain('Sign out of');
    const done = await visitor.submit('end/confirm', { logout: 'yes' });
    expect(done.text).toContain('You are signed out');
  });

  it.each(['/auth', '/session/end'])('refuses U+0000, large bodies and other content types at %s', async (path) => {
    const nul = await fetch(at(path), { ...post('state=a%00b'), redirect: 'manual' });
    expect([nul.status, await errorOf(nul)]).toEqual([400, 'invalid_request']);
    const large = await fetch(at(path), { ...post(`state=${'x'.repeat(9_000)}`), redirect: 'manual' });
    expect([large.status, await errorOf(large)]).toEqual([400, 'invalid_request']);
    const json = await fetch(at(path), { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    expect([json.status, await errorOf(json)]).toEqual([400, 'invalid_request']);
  });

  it('accepts a userinfo request by POST without a body', async () => {
    const { access_token: token } = await signedIn(new Visitor(service.url));
    const authorization = `Bearer ${token}`;
    const response = await fetch(at('/me'), { method: 'POST', headers: { authorization } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sub: service.credentials.demo.actor.id });
    const form = await fetch(at('/me'), post(new URLSearchParams({ access_token: String(token) })));
    expect(form.status).toBe(200);
  });

  it('sends nosniff with every response', async () => {
    const cast = castOf(service);
    const exchanged = await cast.spa.exchange({ subject_token: await cast.mint() });
    const answers = [
      exchanged,
      await cast.spa.exchange({ subject_token: 'nonsense' }),
      await fetch(at('/.well-known/openid-configuration')),
      await fetch(at('/jwks')),
      await fetch(at('/revoked-tokens')),
      await fetch(at('/me')),
      await fetch(at('/token'), { method: 'POST', body: '{}' }),
      await fetch(at('/token'), post('grant_type=authorization_code&code=x')),
    ];
    for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('forbids frames and scripts of other sites on every page', async () => {
    const visitor = new Visitor(service.url);
    await signedIn(visitor);
    const { url } = await authorization(service, { response_mode: 'form_post', prompt: 'none' });
    const pages = [
      await visitor.open(url),
      await visitor.open(at('/session/end')),
      await visitor.submit('end/confirm', { logout: 'yes' }),
      await visitor.open(at('/session/end')), // Without a session this page confirms itself by script.
      await visitor.open(at('/auth?client_id=unknown')),
    ];
    for (const { html, headers } of pages) {
      expect(html).toMatch(/^<!doctype html>/i);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("'unsafe-inline'");
      expect(policy).not.toContain('form-action');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      if (html.includes('<script>')) expect(policy).toMatch(/script-src 'sha256-[\w+/=]+'/);
    }
    expect(pages.filter(({ html }) => html.includes('<script>'))).toHaveLength(2);
  });
});
