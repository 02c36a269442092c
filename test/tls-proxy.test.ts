import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { castOf, verifyAccessToken } from './support/cast.ts';
import { databases } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { startService } from './support/start-service.ts';

const file = (name: string) => readFileSync(join(import.meta.dirname, 'support/tls', name));
const tls = { cert: file('localhost.crt'), key: file('localhost.key') };
/** The client address that the proxy reports: one of the networks for documentation (RFC 5737). */
const CLIENT = '203.0.113.7';

/** Terminates TLS and forwards requests as proxies do: with the original host, and the client's address appended. */
async function startProxy(port: number, targetPort: number) {
  const cookies: string[] = [];
  const locations: string[] = [];
  const server = createServer(tls, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forwarded = [headers['x-forwarded-for'], CLIENT].flat().filter(Boolean).join(', ');
    const passed = { ...headers, 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' };
    const options = { host: '127.0.0.1', port: targetPort, method, path, headers: passed };
    const onward = request(options, (answer) => {
      cookies.push(...(answer.headers['set-cookie'] ?? []));
      if (answer.headers.location) locations.push(answer.headers.location);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return {
    cookies,
    locations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startBehindProxy(kind: (typeof databases)[number], env: Record<string, string>) {
  const [port, proxyPort] = [await freePort(), await freePort()];
  const proxy = await startProxy(proxyPort, port);
  const endpoint = `https://localhost:${proxyPort}`;
  const service = await startService(kind, { PORT: String(port), ENDPOINT: endpoint, ...env });
  return { service, proxy, endpoint };
}

describe.each(databases)('behind a proxy that terminates TLS, on %s', (kind) => {
  const known = getCACertificates();
  beforeAll(() => setDefaultCACertificates([...known, tls.cert.toString()]));
  afterAll(() => setDefaultCACertificates(known));

  it('signs users in with https URLs and Secure cookies only, and issues tokens of that issuer', async () => {
    const { service, proxy, endpoint } = await startBehindProxy(kind, { TRUST_PROXY: 'loopback' });
    await using _ = proxy;
    await using __ = service;
    const cast = castOf(service);
    const actorToken = await cast.spa.signIn(cast.alice);
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint(), actor_token: actorToken });
    const { iss, act } = await verifyAccessToken(service, body.access_token, cast.resource);
    expect([iss, act]).toEqual([`${endpoint}/oidc`, { sub: cast.alice.id }]);

    expect((await fetch(service.credentials.administratorLink)).status).toBe(200);
    await fetch(`${endpoint}/console`, { redirect: 'follow' });
    expect(proxy.cookies.filter((cookie) => cookie.startsWith('__Secure-console_'))).toHaveLength(1);

    const set = proxy.cookies.filter((cookie) => !/=;/.test(cookie));
    expect(set.length).toBeGreaterThan(2);
    for (const cookie of set) {
      expect(cookie).toMatch(/; *secure/i);
      expect(cookie).toMatch(/; *httponly/i);
      expect(cookie).toMatch(/; *samesite=(lax|strict)/i);
    }
    const own = proxy.locations.filter((location) => /^https?:\/\/localhost/.test(location));
    expect(own.filter((location) => !location.startsWith(endpoint) && !location.includes('code='))).toEqual([]);
  });

  it.each([
    ['loopback', CLIENT],
    ['1', CLIENT],
    ['false', expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/)],
  ])(
    'accepts the client address from the proxy if TRUST_PROXY is %s, and never from the client itself',
    async (trust, ip) => {
      const { service, proxy } = await startBehindProxy(kind, { TRUST_PROXY: trust });
      await using _ = proxy;
      await using __ = service;
      const made = await service.api.call('POST /users', { username: 'wile' }, { 'x-forwarded-for': '198.51.100.1' });
      expect(made.status).toBe(200);
      const [log] = await service.api.must(`GET /logs?logKey=${encodeURIComponent('Management.POST /users')}`);
      expect(log.payload.ip).toEqual(ip);
    },
  );
});
