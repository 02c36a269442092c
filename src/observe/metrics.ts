import { createServer, type Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** With the figures of the process: event loop, memory, garbage collection, CPU. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let seen = performance.eventLoopUtilization();
  gauge(
    registry,
    'understudy_event_loop_utilization',
    'Share of the time since last asked in which it was busy',
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, seen);
      seen = now;
      return utilization;
    },
  );
  return registry;
}

/** A figure that is looked up when somebody asks. */
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

/** The same, once for each value of a label. */
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

/** Counts by one label, whose values the code names: none comes from a request. */
export function counterBy<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
): (value: string) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  return (value) => counter.inc({ [label]: value } as Record<Label, string>);
}

/** Paths that the operators' port answers besides `/metrics`. */
export type JsonAnswer = () => Promise<{ status: number; body: unknown }>;

/** `GET /metrics` on a port of its own: it is for those who run the service, and names no tenant, path or address. */
export function metricsServer(registry: Registry, answers: Record<string, JsonAnswer>): Server {
  return createServer(async (request, response) => {
    if (request.method !== 'GET') return response.writeHead(404).end();
    try {
      const answer = Object.hasOwn(answers, request.url ?? '') && (await answers[request.url ?? '']?.());
      if (answer)
        return response
          .writeHead(answer.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer.body));
      if (request.url !== '/metrics') return response.writeHead(404).end();
      const text = await registry.metrics();
      return response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      return response.writeHead(500).end();
    }
  });
}
