import { afterEach, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startService } from '../support/start-service.ts';

const head = (line: string, ...headers: string[]) => [line, 'Host: localhost', ...headers, '', ''].join('\r\n');
const FORM = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000'];

afterEach(() => void vi.useRealTimers());

const quick = { DEMO: 'false', HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '1000' };

it('times out a head or a body that arrives one byte at a time', async () => {
  await using service = await startService('sqlite', quick);
  using slowHead = await RawSocket.to(service.url);
  slowHead.drip(head('GET /healthz HTTP/1.1').repeat(100), 50);
  using silent = await RawSocket.to(service.url);
  using slowBody = await RawSocket.to(service.url);
  slowBody.send(head('POST /oidc/token HTTP/1.1', ...FORM)).drip('a'.repeat(1000), 50);
  await Promise.all([slowHead.closed, silent.closed, slowBody.closed]);
  expect([slowHead.status, silent.status, slowBody.status]).toEqual([408, 408, 408]);
});

it('disconnects a client that does not read its responses', async () => {
  await using service = await startService('sqlite', quick);
  using reader = await RawSocket.to(service.url);
  reader.stopReading().send(head('GET /api/openapi.json HTTP/1.1').repeat(40)); // More than the kernel buffers.
  // Keeps writing, because a client that neither reads nor writes does not notice the end.
  reader.drip('\n'.repeat(1_000), 50);
  await reader.closed;
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});

it('does not start with a longer timeout for the head than for the whole request', () => {
  const limitsOf = (env: Record<string, string>) => readConfig(env).limits;
  expect(limitsOf({ REQUEST_TIMEOUT_MS: '2000' })).toMatchObject({ headersTimeoutMs: 2_000 });
  expect(() => limitsOf({ HEADERS_TIMEOUT_MS: '30001' })).toThrow('HEADERS_TIMEOUT_MS');
});

it('refuses a head that is too large or has too many lines', async () => {
  await using service = await startService('sqlite', { DEMO: 'false' });
  using large = await RawSocket.to(service.url);
  large.send(head('GET /healthz HTTP/1.1', `X-Large: ${'a'.repeat(16 * 1024)}`));
  using many = await RawSocket.to(service.url);
  const lines = Array.from({ length: 120 }, (_, index) => `X-${index}: 1`);
  many.send(head('GET /api/users HTTP/1.1', ...lines, 'Connection: close'));
  await Promise.all([large.closed, many.closed]);
  expect([large.status, many.status]).toEqual([431, 431]);
  expect(many.text).toContain('"request.too_many_headers"');
});

it('limits one address to half of the connections, except a trusted proxy', async () => {
  await using service = await startService('sqlite', { DEMO: 'false', MAX_CONNECTIONS: '8', TRUST_PROXY: '127.0.0.3' });
  const greedy = await Promise.all(Array.from({ length: 5 }, () => RawSocket.to(service.url)));
  await Promise.race(greedy.map(({ closed }) => closed)); // One of the five is closed.
  using other = await RawSocket.to(service.url, '127.0.0.2');
  other.send(head('GET /healthz HTTP/1.1'));
  await expect.poll(() => other.status).toBe(200);
  for (const socket of greedy) socket[Symbol.dispose]();

  // Idle connections use up the limit of eight. They are closed to make room for the next one.
  const proxy = await Promise.all(Array.from({ length: 7 }, () => RawSocket.to(service.url, '127.0.0.3')));
  for (const socket of proxy) socket.send(head('GET /healthz HTTP/1.1'));
  await expect.poll(() => proxy.map(({ status }) => status)).toEqual(Array(7).fill(200));
  const statusOfNewConnection = async () => {
    using late = await RawSocket.to(service.url, '127.0.0.4');
    late.send(head('GET /healthz HTTP/1.1', 'Connection: close'));
    await late.closed;
    return late.status;
  };
  await expect.poll(statusOfNewConnection).toBe(200);
});

it('stops even if a client has not sent its whole request', async () => {
  const service = await startService('sqlite', { DEMO: 'false' });
  using slow = await RawSocket.to(service.url);
  slow.send(head('POST /oidc/token HTTP/1.1', ...FORM));
  using silent = await RawSocket.to(service.url);
  vi.useFakeTimers({ toFake: ['setTimeout'] }); // The deadline for accepted requests never comes.
  await Promise.all([service[Symbol.asyncDispose](), slow.closed, silent.closed]);
});
