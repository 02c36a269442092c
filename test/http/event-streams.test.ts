import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Connections } from '../../src/http/server/connections.ts';
import { createHttpServer, stopListening } from '../../src/http/server/server.ts';
import { RawSocket } from '../support/raw-socket.ts';

const times = { headersTimeoutMs: 400, requestTimeoutMs: 400, keepAliveTimeoutMs: 5_000 };

it('does not count event streams as requests, closes unread ones, and stops while some are open', async () => {
  const server = createHttpServer(times);
  const connections = new Connections(server, { ...times, maxConnections: 10 }, () => false);
  const streams: ServerResponse[] = [];
  server.on('request', (_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.write('retry: 2000\n\n');
    streams.push(response);
  });
  await once(server.listen(0), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  using reader = await RawSocket.to(origin);
  reader.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => reader.text).toContain('retry');
  using sleeper = await RawSocket.to(origin);
  sleeper.stopReading().send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => streams.length).toBe(2);
  expect(connections.inProgress).toBe(0);

  const [, unread] = streams as [ServerResponse, ServerResponse];
  const cut = once(unread, 'close');
  for (let count = 0; count < 200; count += 1) unread.write(`data: ${'x'.repeat(100_000)}\n\n`);
  await cut;
  expect(streams[0]?.closed).toBe(false);
  await stopListening(server, () => connections.closeInactive());
  await reader.closed;
  connections.close();
});
