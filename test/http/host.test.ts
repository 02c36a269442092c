import { expect, it } from 'vitest';
import { ManagementClient, postForm } from '../support/call.ts';
import { freePort } from '../support/free-port.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startService, type TestService } from '../support/start-service.ts';

const DISCOVERY = '/oidc/.well-known/openid-configuration';

/** Creates a second tenant with its own host, which does not need a DNS entry. */
async function addTenant({ url, credentials }: TestService, endpoint: string): Promise<void> {
  const operator = await new ManagementClient(url, `${url}/admin/api`, credentials.operator).token('tenants');
  const made = await fetch(`${url}/admin/api/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'other', name: 'Other', endpoints: [endpoint] }),
  });
  if (made.status !== 201) throw new Error(`no tenant: ${made.status} ${await made.text()}`);
}

/** Sends exactly these lines and returns the whole response. */
async function raw(service: TestService, ...lines: string[]): Promise<{ status: number | undefined; text: string }> {
  using socket = await RawSocket.to(service.localUrl);
  socket.send([...lines, 'Connection: close', '', ''].join('\r\n'));
  await socket.closed;
  return { status: socket.status, text: socket.text };
}

it('does not let a forwarded host choose the tenant, even behind a trusted proxy', async () => {
  await using service = await startService('sqlite', { DEMO: 'false', TRUST_PROXY: 'loopback' });
  await addTenant(service, 'http://other.example.test');
  for (const [name, value] of [
    ['x-forwarded-host', 'other.example.test'],
    ['forwarded', 'host=other.example.test'],
    ['x-original-host', 'other.example.test'],
    ['x-host', 'other.example.test'],
  ] as const) {
    const answer = await fetch(`${service.url}${DISCOVERY}`, { headers: { [name]: value } });
    expect(await answer.json()).toMatchObject({ issuer: `${service.url}/oidc` });
  }
});

it('uses only the host of an absolute request target', async () => {
  await using service = await startService('sqlite', { DEMO: 'false' });
  const { host } = new URL(service.url);
  const alone = await raw(service, `GET http://evil.example${DISCOVERY} HTTP/1.1`, `Host: ${host}`);
  expect(alone.status).toBe(200);
  expect(alone.text).toContain(`"jwks_uri":"${service.url}/oidc/jwks"`);
  expect(alone.text).not.toContain('evil');

  await addTenant(service, `${service.url}/other`);
  const below = await raw(service, `GET http://${host}/other${DISCOVERY} HTTP/1.1`, `Host: ${host}`);
  expect(below.text).toContain(`"issuer":"${service.url}/other/oidc"`);
  const root = await raw(service, `GET http://${host} HTTP/1.1`, `Host: ${host}`);
  expect(root.status).toBe(404);
  // RFC 9112 §3.2.2: the Host header is ignored if the request target is absolute.
  const foreign = await raw(service, `GET http://evil.example/healthz HTTP/1.1`, `Host: ${host}`);
  expect(foreign.status).toBe(200);
  const unknown = await raw(service, `GET http://evil.example${DISCOVERY} HTTP/1.1`, `Host: ${host}`);
  expect(unknown.status).toBe(421);
});

it('refuses a request with two Host headers or an invalid one', async () => {
  await using service = await startService('sqlite', { DEMO: 'false' });
  const { host } = new URL(service.url);
  await addTenant(service, `${service.url}/other`);
  for (const hosts of [
    [host, host],
    [host, 'evil.example'],
    [`${host}/other`],
    [`user@${host}`],
    [`${host}?x`],
    ['a b'],
    [`${host}, ${host}`],
  ]) {
    const lines = hosts.map((one) => `Host: ${one}`);
    const { status, text } = await raw(service, `GET ${DISCOVERY} HTTP/1.1`, ...lines);
    expect([hosts, status]).toEqual([hosts, 400]);
    expect(text).toContain('"code":"request.invalid_host"');
  }
  for (const target of ['http://user@evil.example/', 'http:///oidc/jwks', 'ftp://evil.example/', 'http://a b/']) {
    const { status } = await raw(service, `GET ${target} HTTP/1.1`, `Host: ${host}`);
    expect([target, status]).toEqual([target, 400]);
  }
});

it('sends HSTS if the endpoint is https, and nosniff always', async () => {
  const port = String(await freePort());
  const secure = await startService('sqlite', { DEMO: 'false', PORT: port, ENDPOINT: 'https://id.example.test' });
  await using _ = secure;
  await using plain = await startService('sqlite', { DEMO: 'false' });
  for (const path of [DISCOVERY, '/oidc/jwks', '/oidc/revoked-tokens', '/api/users', '/api/openapi.json', '/nowhere']) {
    const answer = await fetch(`${secure.localUrl}${path}`);
    expect([path, answer.headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
    expect([path, answer.headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    const unencrypted = await fetch(`${plain.url}${path}`);
    expect([path, unencrypted.headers.has('strict-transport-security')]).toEqual([path, false]);
    expect([path, unencrypted.headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
  }
  const { clientId: client_id, clientSecret: client_secret } = secure.credentials.machine;
  const form = { grant_type: 'client_credentials', client_id, client_secret, resource: 'https://id.example.test/api' };
  const token = await postForm(`${secure.localUrl}/oidc/token`, form);
  expect(token.status).toBe(200);
  expect(token.headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect(token.headers.get('x-content-type-options')).toBe('nosniff');
});
