import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../scripts/support/sign-in.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../src/tokens/urns.ts';
import { getJson, ManagementClient, postForm } from './support/call.ts';
import { verifyAccessToken } from './support/cast.ts';
import { databases } from './support/databases.ts';
import { startService, type TestService } from './support/start-service.ts';

const REDIRECT_URI = 'http://localhost:4400/callback';
const RESOURCE = 'https://shop.example/api';
const PASSWORD = 'correct horse battery';

/** Creates a tenant at a path of the service's host, with two users and the application they use. */
async function build({ url, credentials }: TestService, id: string) {
  const operator = await new ManagementClient(url, `${url}/admin/api`, credentials.operator).token('tenants');
  const made = await fetch(`${url}/admin/api/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id, name: id, endpoints: [`${url}/${id}`] }),
  });
  const { managementApiIndicator, machine } = (await made.json()) as {
    managementApiIndicator: string;
    machine: { clientId: string; clientSecret: string };
  };
  const endpoint = `${url}/${id}`;
  const api = new ManagementClient(endpoint, managementApiIndicator, machine);
  const application = await api.must('POST /applications', {
    name: 'Shop',
    type: 'SPA',
    oidcClientMetadata: { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [] },
    customClientMetadata: { allowTokenExchange: true },
  });
  const actor = await api.must('POST /users', { username: 'support', password: PASSWORD });
  const subject = await api.must('POST /users', { username: 'customer' });
  const resource = await api.must('POST /resources', { name: 'Shop', indicator: RESOURCE });
  const scope = await api.must(`POST /resources/${resource.id}/scopes`, { name: 'buy' });
  const role = await api.must('POST /roles', { name: 'Buyer', description: 'Buys', scopeIds: [scope.id] });
  await api.must(`POST /users/${subject.id}/roles`, { roleIds: [role.id] });
  return { endpoint, api, clientId: application.id as string, actorId: actor.id, subjectId: subject.id };
}

describe.each(databases)('two tenants at paths of one host, on %s', (kind) => {
  let service: TestService;
  let acme: Awaited<ReturnType<typeof build>>;
  let beta: Awaited<ReturnType<typeof build>>;
  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    [acme, beta] = [await build(service, 'acme'), await build(service, 'beta')];
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const person = { username: 'support', password: PASSWORD };
  const signInAt = async ({ endpoint, clientId }: typeof acme) => {
    const pages: string[] = [];
    const onStep = (_method: string, { href }: URL) => pages.push(href);
    const { tokens } = await signIn({ endpoint, clientId, redirectUri: REDIRECT_URI, person, onStep });
    return { tokens, pages };
  };
  const exchangeAt = ({ endpoint, clientId }: typeof acme, subjectToken: string, actorToken: string) =>
    postForm(`${endpoint}/oidc/token`, {
      grant_type: TOKEN_EXCHANGE,
      client_id: clientId,
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN,
      actor_token: actorToken,
      actor_token_type: ACCESS_TOKEN,
      resource: RESOURCE,
      scope: 'buy',
    });
  const mintAt = async ({ api, subjectId }: typeof acme): Promise<string> =>
    (await api.must('POST /subject-tokens', { userId: subjectId })).subjectToken;

  it('publish discovery below their issuer and at the inserted path, with every URL below the endpoint', async () => {
    const document = await getJson(`${acme.endpoint}/oidc/.well-known/openid-configuration`);
    expect(document.issuer).toBe(`${acme.endpoint}/oidc`);
    const addresses = Object.entries<unknown>(document).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(addresses.length).toBeGreaterThan(5);
    for (const [name, address] of addresses)
      expect([name, address]).toEqual([name, expect.stringContaining(`${acme.endpoint}/oidc/`)]);
    for (const name of ['oauth-authorization-server', 'openid-configuration'])
      expect(await getJson(`${service.url}/.well-known/${name}/acme/oidc`)).toEqual(document);
    expect((await getJson(`${service.url}/.well-known/oauth-authorization-server/oidc`)).issuer).toBe(
      `${service.url}/oidc`,
    );
  });

  it('sign users in on their own pages, and allow impersonation', async () => {
    for (const tenant of [acme, beta]) {
      const { tokens, pages } = await signInAt(tenant);
      for (const page of pages) expect(page).toContain(`${tenant.endpoint}/`);
      const { status, body } = await exchangeAt(tenant, await mintAt(tenant), tokens.access_token);
      expect(status).toBe(200);
      const claims = await verifyAccessToken({ url: tenant.endpoint }, body.access_token, RESOURCE);
      expect(claims).toMatchObject({ sub: tenant.subjectId, act: { sub: tenant.actorId } });
    }
  });

  it('refuse the tokens of the other tenant', async () => {
    const { tokens } = await signInAt(acme);
    const foreignSubject = await exchangeAt(beta, await mintAt(acme), (await signInAt(beta)).tokens.access_token);
    expect(foreignSubject.body.error).toBe('invalid_request');
    const foreignActor = await exchangeAt(beta, await mintAt(beta), tokens.access_token);
    expect(foreignActor.status).toBe(400);
    const at = (endpoint: string, path: string, token: string) =>
      fetch(`${endpoint}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await at(acme.endpoint, '/oidc/me', tokens.access_token)).status).toBe(200);
    expect((await at(beta.endpoint, '/oidc/me', tokens.access_token)).status).toBe(401);
    expect((await at(acme.endpoint, '/api/users', await acme.api.token())).status).toBe(200);
    expect((await at(beta.endpoint, '/api/users', await acme.api.token())).status).toBe(401);
    expect((await at(service.url, '/api/users', await acme.api.token())).status).toBe(401);
  });

  it('have separate cookies by name, path and signature', async () => {
    const begin = async ({ endpoint, clientId }: typeof acme) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'openid',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      });
      const response = await fetch(`${endpoint}/oidc/auth?${query}`, { redirect: 'manual' });
      return { page: response.headers.get('location') as string, cookies: response.headers.getSetCookie() };
    };
    const [first, second] = [await begin(acme), await begin(beta)];
    for (const [id, { page, cookies }] of Object.entries({ acme: first, beta: second })) {
      expect(new URL(page, service.url).pathname).toMatch(new RegExp(`^/${id}/sign-in/`));
      for (const cookie of cookies) {
        expect(cookie).toMatch(new RegExp(`^${id}_`));
        expect(cookie).toMatch(new RegExp(`path=/${id}/`));
      }
    }
    const show = (page: string, cookie: string) => fetch(new URL(page, service.url), { headers: { cookie } });
    const pairs = (cookies: string[]) => cookies.map((line) => line.split(';')[0]).join('; ');
    expect((await show(first.page, pairs(first.cookies))).status).toBe(200);
    // Sends the cookies under the other tenant's name, as an attacker who can set cookies on the shared host might.
    const renamed = pairs(first.cookies).replaceAll('acme_', 'beta_');
    expect((await show(first.page.replace('/acme/', '/beta/'), renamed)).status).toBeGreaterThanOrEqual(400);
  });

  it('paginate lists with links below their endpoint', async () => {
    const { headers } = await acme.api.call('GET /users?page=1&page_size=1');
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    expect(next).toContain(`${acme.endpoint}/api/users?`);
    const response = await fetch(next, { headers: { authorization: `Bearer ${await acme.api.token()}` } });
    expect(response.status).toBe(200);
  });
});
