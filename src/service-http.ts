import type { AddressInfo } from 'node:net';
import type { Express, RequestHandler } from 'express';
import type { AuditBatch } from './audit/batch.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import type { Database } from './database/connect.ts';
import { peerTrust } from './http/app.ts';
import { Connections } from './http/connections.ts';
import type { Readiness } from './http/health.ts';
import { measureRequests } from './http/metrics.ts';
import { Pressure, shedLoad } from './http/pressure.ts';
import { toOriginForm } from './http/request-target.ts';
import { createHttpServer, listen, stopListening } from './http/server.ts';
import { metricsServer } from './observe/metrics.ts';
import type { Observers } from './service-metrics.ts';
import { sendBusyPage } from './sign-in/busy-page.ts';

export interface ServiceHttpParts {
  config: Pick<Config, 'port' | 'host' | 'metricsPort' | 'limits'>;
  closing: Closing;
  database: Pick<Database, 'waiting'>;
  audit: Pick<AuditBatch, 'isBehind'>;
  observers: Observers | undefined;
  readiness: Readiness;
}

/** Starts the HTTP servers: connection limits, load shedding and the app, and the metrics port. @returns the port it listens on */
export async function serveHttp(
  { config, closing, database, audit, observers, readiness }: ServiceHttpParts,
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
  closing.add(() => stopListening(server, () => connections.endUnowed()));

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
