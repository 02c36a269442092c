import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
}

type Attribute = { key: string; value: Record<string, unknown> };

/**
 * An OpenTelemetry collector that accepts OTLP over HTTP. It parses spans from JSON and keeps the bytes of protobuf.
 */
export class TraceReceiver implements AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[] = [];
  /** Every request as it was received. */
  readonly bodies: { contentType: string | undefined; text: string }[] = [];
  readonly services = new Set<unknown>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('latin1')) text += chunk;
      const contentType = request.headers['content-type'];
      this.bodies.push({ contentType, text });
      if (request.url === '/v1/traces' && contentType === 'application/json') this.#take(JSON.parse(text));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }

  static async start(): Promise<TraceReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TraceReceiver(server);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own shape.
  #take({ resourceSpans }: any): void {
    const valuesOf = (attributes: Attribute[]) =>
      Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    for (const { resource, scopeSpans } of resourceSpans) {
      this.services.add(valuesOf(resource.attributes)['service.name']);
      for (const { spans } of scopeSpans)
        for (const { name, traceId, spanId, parentSpanId, attributes } of spans)
          this.spans.push({ name, traceId, spanId, parentSpanId, attributes: valuesOf(attributes) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server.close(), 'close');
    this.#server.closeAllConnections();
    await closed;
  }
}
