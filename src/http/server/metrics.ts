import type { Server } from 'node:http';
import { Histogram } from 'prom-client';
import { gauge, type Registry } from '../../observe/metrics.ts';
import type { Connections } from './connections.ts';

const AREAS: [name: string, path: RegExp][] = [
  ['token', /\/oidc\/token$/],
  ['oidc', /\/oidc\//],
  ['api', /\/api\//],
];

/** Returns the metric label of a URL. The path itself contains ids and the prefix of a tenant. */
export const areaOf = (url = '') => AREAS.find(([, path]) => path.test(url.split('?', 1)[0] as string))?.[0] ?? 'other';

/** Registers the metrics of this server: number, status and duration of requests. */
export function measureRequests(server: Server, connections: Connections, registry: Registry): void {
  gauge(registry, 'understudy_http_connections', 'Open connections', () => connections.size);
  gauge(
    registry,
    'understudy_http_requests_worked_on',
    'Requests in progress: received completely and not answered yet',
    () => connections.inProgress,
  );
  const seconds = new Histogram({
    name: 'understudy_http_request_seconds',
    help: 'Time from the head of a request to the end of its response; area is token, oidc, api or other',
    labelNames: ['area', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  server.on('request', ({ url }, response) => {
    const area = areaOf(url); // Read now, because Express removes prefixes from the URL later.
    const end = seconds.startTimer();
    response.once('finish', () => end({ area, status: `${Math.floor(response.statusCode / 100)}xx` }));
  });
}
