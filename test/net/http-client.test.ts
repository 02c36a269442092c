import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { HttpClient, type HttpRequest } from '../../src/net/http-client.ts';
import {
  cutMidBody,
  drip,
  endlessBody,
  hang,
  hugeHeaders,
  slow,
  status,
  WebhookReceiver,
} from '../support/webhook-receiver.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'];
const tls = {
  key: readFileSync(new URL('../support/tls/localhost.key', import.meta.url)),
  cert: readFileSync(new URL('../support/tls/localhost.crt', import.meta.url)),
};

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0)) await resource.close();
});

function clientOf(options: { allowedNetworks?: string[]; ca?: string; proxyUrl?: string } = {}): HttpClient {
  const { allowedNetworks = LOOPBACK, ...rest } = options;
  const client = new HttpClient({ guard: new AddressGuard({ allowedNetworks }), ...rest });
  opened.push(client);
  return client;
}

const post = (client: HttpClient, url: string, overrides: Partial<HttpRequest> = {}) =>
  client.request({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    deadlineMs: 5000,
    maxResponseBytes: 65_536,
    ...overrides,
  });

/** Starts a TCP server that responds to any request with exactly these bytes. */
async function rawServer(answer: string): Promise<string> {
  const server = createServer((socket) => socket.once('data', () => socket.write(answer)).on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a request', () => {
  it('sends headers and body as given, and returns status, headers and body', async () => {
    await using receiver = await WebhookReceiver.start({ behaviour: status(202, { 'x-request': 'a' }, 'taken') });
    const reply = await post(clientOf(), `${receiver.url}?a=b`, { headers: { 'x-own': 'c' }, body: 'exact bytes é' });
    expect(reply).toMatchObject({ status: 202, headers: { 'x-request': 'a' }, truncated: false });
    expect(reply.body.toString()).toBe('taken');
    expect(await receiver.next()).toMatchObject({
      method: 'POST',
      path: '/hook?a=b',
      body: 'exact bytes é',
      headers: { 'x-own': 'c', 'accept-encoding': 'identity', host: `127.0.0.1:${receiver.port}` },
    });
  });

  it('skips interim responses', async () => {
    const url = await rawServer('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    expect(await post(clientOf(), url)).toMatchObject({ status: 200, body: Buffer.from('ok') });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %d', async (code) => {
    await using inside = await WebhookReceiver.start();
    await using receiver = await WebhookReceiver.start({ behaviour: status(code, { location: inside.url }) });
    expect(await post(clientOf(), receiver.url)).toMatchObject({ status: code });
    expect(inside.arrivals).toEqual([]);
  });

  it('decompresses nothing', async () => {
    await using receiver = await WebhookReceiver.start({
      behaviour: status(200, { 'content-encoding': 'gzip' }, 'raw'),
    });
    expect((await post(clientOf(), receiver.url)).body.toString()).toBe('raw');
  });
});

describe('limits', () => {
  it.each([
    ['never responds', hang],
    ['responds too late', slow(20_000)],
    ['sends one byte at a time', drip(20)],
  ])('end a request at the deadline if the server %s', async (_, behaviour) => {
    await using receiver = await WebhookReceiver.start({ behaviour });
    const timeout = { reason: 'timeout', message: 'No complete response within 200 ms.' };
    await expect(post(clientOf(), receiver.url, { deadlineMs: 200 })).rejects.toMatchObject(timeout);
  });

  it('include the DNS lookup in the deadline', async () => {
    const guard = new AddressGuard({ resolve: () => new Promise(() => undefined) });
    const client = new HttpClient({ guard });
    opened.push(client);
    const request = post(client, 'http://never.example', { deadlineMs: 100 });
    await expect(request).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('close the connection at the deadline', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(server);
    const connection = once(server, 'connection');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(post(clientOf(), url, { deadlineMs: 1_000 })).rejects.toMatchObject({ reason: 'timeout' });
    const [socket] = await connection;
    socket.on('error', () => undefined).resume();
    if (!socket.closed) await once(socket, 'close');
  });

  it('truncate a response body that is too large', async () => {
    await using receiver = await WebhookReceiver.start({ behaviour: endlessBody });
    const reply = await post(clientOf(), receiver.url, { maxResponseBytes: 1000 });
    expect(reply).toMatchObject({ status: 200, truncated: true });
    expect(reply.body).toHaveLength(1000);
  });

  it('allow at most 16 KiB of headers', async () => {
    await using receiver = await WebhookReceiver.start({ behaviour: hugeHeaders(20_000) });
    await expect(post(clientOf(), receiver.url)).rejects.toMatchObject({ reason: 'headers_too_large' });
    receiver.behave(hugeHeaders(12_000));
    expect(await post(clientOf(), receiver.url)).toMatchObject({ status: 200 });
  });
});

describe('the error', () => {
  it('reports that nothing listens', async () => {
    const receiver = await WebhookReceiver.start();
    await receiver.stop();
    await expect(post(clientOf(), receiver.url)).rejects.toMatchObject({ reason: 'connect' });
  });

  it.each([true, false])('reports a connection reset within the body (with content-length: %s)', async (announced) => {
    await using receiver = await WebhookReceiver.start({ behaviour: cutMidBody(announced) });
    await expect(post(clientOf(), receiver.url)).rejects.toMatchObject({ reason: 'reset', status: 200 });
  });

  it('reports a connection reset before a response', async () => {
    await using receiver = await WebhookReceiver.start({ behaviour: (response) => void response.socket?.destroy() });
    await expect(post(clientOf(), receiver.url)).rejects.toMatchObject({ reason: 'reset', status: undefined });
  });

  it('reports a response that is not HTTP', async () => {
    const url = await rawServer('SSH-2.0-OpenSSH_9.2\r\n');
    await expect(post(clientOf(), url)).rejects.toMatchObject({ reason: 'protocol' });
  });

  it('reports a request that is not valid', async () => {
    await using receiver = await WebhookReceiver.start();
    const request = post(clientOf(), receiver.url, { headers: { 'x-bad': 'a\r\nb' } });
    await expect(request).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('reports a blocked address or name, without connecting to it', async () => {
    await using receiver = await WebhookReceiver.start();
    const client = clientOf({ allowedNetworks: [] });
    await expect(post(client, receiver.url)).rejects.toMatchObject({ reason: 'blocked' });
    const byName = post(client, `http://localhost:${receiver.port}`);
    await expect(byName).rejects.toMatchObject({ reason: 'blocked' });
    expect(receiver.arrivals).toEqual([]);
  });
});

describe('TLS', () => {
  it('accepts a trusted certificate for the name', async () => {
    await using receiver = await WebhookReceiver.start({ tls });
    expect(await post(clientOf({ ca: tls.cert.toString() }), receiver.url)).toMatchObject({ status: 200 });
  });

  it('refuses an untrusted certificate', async () => {
    await using receiver = await WebhookReceiver.start({ tls });
    await expect(post(clientOf(), receiver.url)).rejects.toMatchObject({ reason: 'tls' });
    expect(receiver.arrivals).toEqual([]);
  });

  it('refuses a certificate for another name', async () => {
    await using receiver = await WebhookReceiver.start({ tls });
    const guard = new AddressGuard({ allowedNetworks: LOOPBACK, resolve: async () => ['127.0.0.1', '::1'] });
    const client = new HttpClient({ guard, ca: tls.cert.toString() });
    opened.push(client);
    const request = post(client, `https://other.example:${receiver.port}`);
    await expect(request).rejects.toMatchObject({ reason: 'tls' });
  });

  it('reports a port that does not use TLS', async () => {
    await using receiver = await WebhookReceiver.start();
    const request = post(clientOf(), receiver.url.replace('http:', 'https:'));
    await expect(request).rejects.toMatchObject({ reason: 'tls' });
  });
});

describe('an egress proxy', () => {
  async function startProxy(answer = 200): Promise<{ url: string; targets: string[] }> {
    const targets: string[] = [];
    const proxy = createHttpServer().on('connect', (request, socket) => {
      targets.push(request.url ?? '');
      if (answer !== 200) return socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
      const upstream = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    opened.push(proxy);
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, targets };
  }

  it('resolves names instead of the client', async () => {
    await using receiver = await WebhookReceiver.start();
    const proxy = await startProxy();
    const client = clientOf({ allowedNetworks: [], proxyUrl: proxy.url });
    const url = `http://only-the-proxy-knows.example:${receiver.port}/hook`;
    expect(await post(client, url)).toMatchObject({ status: 200 });
    expect(proxy.targets).toEqual([`only-the-proxy-knows.example:${receiver.port}`]);
    expect((await receiver.next()).headers.host).toBe(`only-the-proxy-knows.example:${receiver.port}`);
  });

  it('receives no requests to blocked addresses', async () => {
    const proxy = await startProxy();
    const client = clientOf({ allowedNetworks: [], proxyUrl: proxy.url });
    await expect(post(client, 'http://169.254.169.254/')).rejects.toMatchObject({ reason: 'blocked' });
    expect(proxy.targets).toEqual([]);
  });

  it('can refuse a request', async () => {
    const proxy = await startProxy(403);
    const client = clientOf({ proxyUrl: proxy.url });
    await expect(post(client, 'http://receiver.example/')).rejects.toMatchObject({ reason: 'connect' });
  });
});
