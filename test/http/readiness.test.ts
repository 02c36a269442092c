import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { rawRequest } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/start-service.ts';

const READY = { status: 'ready' };
const DETAILS = { ...READY, database: 'ok', isLeading: expect.any(Boolean), sandbox: expect.any(Object) };

describe.each(databases)('/readyz on %s', (kind) => {
  let service: TestService;
  let metricsPort: number;
  beforeAll(async () => {
    metricsPort = await freePort();
    service = await startService(kind, { DEMO: 'false', METRICS_PORT: String(metricsPort) });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('shows details to a local request and on the metrics port', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const url = service.url.replace('localhost', host);
      expect(await getJson(`${url}/readyz?verbose`)).toEqual(DETAILS);
      expect(await getJson(`${url}/readyz`)).toEqual(READY);
    }
    expect(await getJson(`http://localhost:${metricsPort}/readyz?verbose`)).toEqual(DETAILS);
    expect(await getJson(`http://localhost:${metricsPort}/readyz`)).toEqual(READY);
    expect((await fetch(`http://localhost:${metricsPort}/`)).status).toBe(404);
  });

  it.each([
    ['x-forwarded-for', '203.0.113.7'],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-proto', 'https'],
    ['forwarded', 'for=203.0.113.7'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '127.0.0.1'],
    ['cf-connecting-ip', '203.0.113.7'],
    ['host', 'id.example.com'],
    ['host', 'localhost.example.com'],
  ])('does not show details through a local proxy that sends %s: %s', async (name, value) => {
    const { status, body } = await rawRequest(service.url, '/readyz?verbose', { [name]: value });
    expect([status, JSON.parse(body)]).toEqual([200, READY]);
  });

  it('does not show details to another machine', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((found) => found?.family === 'IPv4' && !found.internal)?.address;
    const url = service.url.replace('localhost', address ?? 'localhost');
    const headers = { host: 'localhost', ...(address === undefined && { via: '1.1 proxy' }) };
    expect(JSON.parse((await rawRequest(url, '/readyz?verbose', headers)).body)).toEqual(READY);
  });
});
