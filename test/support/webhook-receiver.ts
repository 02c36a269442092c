import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** One received request. `body` is the exact text. */
export interface Arrival {
  at: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The `event` of the body if it is JSON and has one. */
  event: string | undefined;
}

/** Sends the response. `count` is 1 for the receiver's first request. */
export type Behaviour = (response: ServerResponse, arrival: Arrival, count: number) => void;

export interface ReceiverOptions {
  /** Default: 0, any free port. */
  port?: number;
  tls?: { key: Buffer; cert: Buffer };
  behaviour?: Behaviour;
}

const PATIENCE_MS = 30_000;

/** A real server for webhooks that responds as the test configures. It does not verify signatures. */
export class WebhookReceiver {
  readonly arrivals: Arrival[] = [];
  readonly port: number;
  readonly url: string;
  readonly #server: Server;
  readonly #unread: Arrival[] = [];
  readonly #readers = new Set<() => void>();
  #behaviour: Behaviour;

  private constructor(server: Server, behaviour: Behaviour, isTls: boolean) {
    this.#server = server;
    this.#behaviour = behaviour;
    this.port = (server.address() as AddressInfo).port;
    this.url = isTls ? `https://localhost:${this.port}/hook` : `http://127.0.0.1:${this.port}/hook`;
    server.on('request', (request, response) => void this.#receive(request, response));
  }

  static async start({ port = 0, tls, behaviour = status(200) }: ReceiverOptions = {}): Promise<WebhookReceiver> {
    const server: Server = tls ? createTlsServer(tls) : createServer();
    server.listen(port, tls ? 'localhost' : '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server, behaviour, tls !== undefined);
  }

  /** Changes the response from now on. */
  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  /** Waits for the next request, of `event` if given, that was not returned before. */
  async next(event?: string): Promise<Arrival> {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const index = this.#unread.findIndex((arrival) => event === undefined || arrival.event === event);
      const [found] = index < 0 ? [] : this.#unread.splice(index, 1);
      if (found) return found;
      await this.#change(deadline, event ?? 'nothing');
    }
  }

  /** Waits for `count` requests that were not returned before. */
  async take(count: number): Promise<Arrival[]> {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    while (this.#unread.length < count) await this.#change(deadline, `${count} requests`);
    return this.#unread.splice(0);
  }

  /** Waits until there are `count` requests, and returns all. */
  async reach(count: number, patienceMs = PATIENCE_MS): Promise<Arrival[]> {
    const deadline = AbortSignal.timeout(patienceMs);
    while (this.arrivals.length < count) await this.#change(deadline, `${count} requests`);
    return this.arrivals;
  }

  /** Closes the port and every connection, like a server that goes down. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #change(deadline: AbortSignal, awaited: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const reader = () => {
        this.#readers.delete(reader);
        deadline.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#readers.delete(reader);
        const seen = this.arrivals.map(({ event, path }) => event ?? path).slice(-10);
        reject(new Error(`${awaited} did not arrive; ${this.arrivals.length} did, the last: ${seen.join(', ')}`));
      };
      this.#readers.add(reader);
      deadline.addEventListener('abort', giveUp, { once: true });
    });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    response.on('error', () => undefined); // In many tests the client disconnects on purpose.
    let body = '';
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
    } catch {
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const arrival = { at, method, path, headers, body, event: eventOf(body) };
    this.arrivals.push(arrival);
    this.#unread.push(arrival);
    this.#behaviour(response, arrival, this.arrivals.length);
    for (const reader of [...this.#readers]) reader();
  }
}

function eventOf(body: string): string | undefined {
  try {
    return JSON.parse(body).event;
  } catch {
    return undefined;
  }
}

/** A complete response. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end(body);

/** One behavior per request, in order. The last one repeats. */
export const inTurn =
  (...behaviours: Behaviour[]): Behaviour =>
  (response, arrival, count) =>
    behaviours[Math.min(count, behaviours.length) - 1]?.(response, arrival, count);

/** Accepts the request and never responds. */
export const hang: Behaviour = () => undefined;

/** A complete response after a delay. */
export const slow =
  (delayMs: number, then: Behaviour = status(200)): Behaviour =>
  (response, arrival, count) =>
    void setTimeout(() => then(response, arrival, count), delayMs);

/** A 200 with an endless body, one byte at a time. */
export const drip =
  (everyMs: number): Behaviour =>
  (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), everyMs);
    response.on('close', () => clearInterval(timer));
  };

/** A 200 whose connection closes before the body is complete, with a content length or chunked. */
export const cutMidBody =
  (announced = true): Behaviour =>
  (response) => {
    response.writeHead(200, announced ? { 'content-length': '1000' } : {});
    response.write('half', () => response.socket?.destroy());
  };

/** A 200 whose body ends only with the connection. */
export const endlessBody: Behaviour = (response) => {
  response.writeHead(200);
  const chunk = 'x'.repeat(16 * 1024);
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
};

/** A 200 with `bytes` of headers. */
export const hugeHeaders =
  (bytes: number): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'x-filler': 'x'.repeat(bytes) }).end();
