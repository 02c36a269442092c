import type { AddressInfo } from 'node:net';
import type { Express, RequestHandler } from 'express';
import { peerTrust } from '../http/server/app.ts';
import { Connections } from '../http/server/connections.ts';
import type { Readiness } from '../http/server/health.ts';
import { measureRequests } from '../http/server/metrics.ts';
import { Pressure, shedLoad } from '../http/server/pressure.ts';
import { toOriginForm } from '../http/server/request-target.ts';
import { createHttpServer, listen, stopListening } from '../http/server/server.ts';
import { metricsServer } from '../observe/metrics.ts';
import { sendBusyPage } from '../sign-in/pages/busy-page.ts';
import type { Foundation } from './foundation.ts';
import type { Issuing } from './issuing.ts';

/**
 * Starts the HTTP servers: connection limits, load shedding and the app, and the metrics port.
 *
 * @returns the port it listens on
 */
export async function serveHttp(
  { config, closing, database, observers }: Foundation,
  { audit }: Issuing,
  readiness: Readiness,
  makeApp: (shedLoad: RequestHandler) => Express,
): Promise<number> {
  const { limits, port, host, metricsPort } = config;
  const server = createHttpServer(limits);
  const connections = new Connections(server, limits, (address) => peerTrust(app)(address));
  closing.add(() => connections.close());
  const pressure = new Pressure(limits.maxEventLoopDelayMs, {
    requests: () => connections.hasMoreThan(limits.maxRequests),
    database: () => database.waiting() > limits.maxRequests / 2,
    audit: () => audit.isBehind,
  });
  closing.add(() => pressure.close());
  const app = makeApp(shedLoad({ pressure, sendPage: sendBusyPage, onShed: observers?.onShed }));
  server.on('request', (request, response) => {
    toOriginForm(request);
    app(request, response);
  });
  await listen(server, { port, host, variable: 'PORT' });
  closing.add(() => stopListening(server, () => connections.closeInactive()));

  if (observers && metricsPort !== undefined) {
    measureRequests(server, connections, observers.registry);
    const metrics = metricsServer(observers.registry, {
      '/readyz': () => readiness(false),
      '/readyz?verbose': () => readiness(true),
    });
    await listen(metrics, { port: metricsPort, host, variable: 'METRICS_PORT' });
    closing.add(() => stopListening(metrics));
  }
  return (server.address() as AddressInfo).port;
}
