import type { Server } from 'node:http';
import { Histogram } from 'prom-client';
import { gauge, type Registry } from '../../observe/metrics.ts';
import type { Connections } from './connections.ts';

const AREAS: [name: string, path: RegExp][] = [
  ['token', /\/oidc\/token$/],
  ['oidc', /\/oidc\//],
  ['api', /\/api\//],
];

/** A path holds ids and the prefix of a tenant, so it is no label. */
export const areaOf = (url = '') => AREAS.find(([, path]) => path.test(url.split('?', 1)[0] as string))?.[0] ?? 'other';

/** Requests of this server: how many, how they were answered, how long it took. */
export function measureRequests(server: Server, connections: Connections, registry: Registry): void {
  gauge(registry, 'understudy_http_connections', 'Open connections', () => connections.size);
  gauge(
    registry,
    'understudy_http_requests_worked_on',
    'Requests that are whole and not answered yet',
    () => connections.worked,
  );
  const seconds = new Histogram({
    name: 'understudy_http_request_seconds',
    help: 'From the head of a request to the end of its answer; area is token, oidc, api or other',
    labelNames: ['area', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  server.on('request', ({ url }, response) => {
    const area = areaOf(url); // Express takes prefixes off the URL on its way.
    const end = seconds.startTimer();
    response.once('finish', () => end({ area, status: `${Math.floor(response.statusCode / 100)}xx` }));
  });
}
