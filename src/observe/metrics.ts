import { createServer, type Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** Returns a registry with the metrics of the process: event loop, memory, garbage collection, CPU. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let seen = performance.eventLoopUtilization();
  gauge(
    registry,
    'understudy_event_loop_utilization',
    'Share of the time since the last scrape in which the event loop was busy',
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, seen);
      seen = now;
      return utilization;
    },
  );
  return registry;
}

/** Registers a gauge whose value is computed at each scrape. */
export function gauge(registry: Registry, name: string, help: string, figure: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(figure());
    },
  });
}

/** Like `gauge`, with one value per value of a label. */
export function gaugeBy<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
  figures: () => Record<string, number>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, figure] of Object.entries(figures()))
        this.set({ [label]: value } as Record<Label, string>, figure);
    },
  });
}

/** Registers a counter with one label. Its values come from the code, never from a request. */
export function counterBy<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
): (value: string) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  return (value) => counter.inc({ [label]: value } as Record<Label, string>);
}

/** Returns the response of a path on the metrics port besides `/metrics`. */
type JsonRoute = () => Promise<{ status: number; body: unknown }>;

/** Serves `GET /metrics` on its own port, for operators. The metrics contain no tenant, path or address. */
export function metricsServer(registry: Registry, routes: Record<string, JsonRoute>): Server {
  return createServer(async (request, response) => {
    if (request.method !== 'GET') return response.writeHead(404).end();
    try {
      const result = Object.hasOwn(routes, request.url ?? '') && (await routes[request.url ?? '']?.());
      if (result)
        return response
          .writeHead(result.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(result.body));
      if (request.url !== '/metrics') return response.writeHead(404).end();
      const text = await registry.metrics();
      return response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      return response.writeHead(500).end();
    }
  });
}
