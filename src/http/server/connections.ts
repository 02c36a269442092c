import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../base/address.ts';

/** Of a stream of events that its reader has not taken: more is not kept for it. */
const MAX_UNREAD_BYTES = 1024 * 1024;

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** The service owes it something: the request is whole, and its answer is neither written nor an endless one. */
const isWorkedOn = (response: ServerResponse): boolean =>
  response.req.complete && !response.writableEnded && !isEventStream(response);

export interface ConnectionLimits {
  /** All in all; more are closed as they come. */
  maxConnections: number;
  /** For the request, and again for the rest of its answer once that is written whole. */
  requestTimeoutMs: number;
}

/**
 * Who is connected, and what is under way. No single address (of IPv6: no /64 network) holds more than half of the connections, unless it is a
 * trusted proxy; and a client that does not read its answers loses them.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #isProxy: (address: string) => boolean;
  readonly #sockets = new Set<Socket>();
  readonly #byNetwork = new Map<string, number>();
  readonly #responses = new Set<ServerResponse>();
  /** Answers that were written whole when the sweep first saw them unread, and when that was. */
  readonly #unreadSince = new Map<ServerResponse, number>();
  readonly #sweep: NodeJS.Timeout;

  constructor(server: Server, limits: ConnectionLimits, isProxy: (address: string) => boolean) {
    this.#limits = limits;
    this.#isProxy = isProxy;
    server.maxConnections = limits.maxConnections;
    server.on('connection', (socket) => this.#connected(socket));
    server.on('drop', () => server.closeIdleConnections()); // Makes room for the next.
    server.on('request', (_request, response) => this.#began(response));
    const sweep = () => this.#endSlowReaders(performance.now());
    this.#sweep = setInterval(sweep, limits.requestTimeoutMs / 4).unref();
  }

  get size(): number {
    return this.#sockets.size;
  }

  /**
   * Whether more requests than this are being worked on. One whose body is still coming does not count, nor does one whose
   * answer is still being read: slow clients take nothing from the others.
   */
  hasMoreThan(requests: number): boolean {
    return this.#responses.size > requests && this.worked > requests;
  }

  /** Requests that are being worked on. */
  get worked(): number {
    let worked = 0;
    for (const response of this.#responses) if (isWorkedOn(response)) worked += 1;
    return worked;
  }

  /** Ends whatever the service owes nothing: silent connections, half-sent requests, endless answers. */
  endUnowed(): void {
    const owed = new Set<Socket | null>();
    for (const response of this.#responses)
      if (response.req.complete && !isEventStream(response)) owed.add(response.socket);
    for (const socket of this.#sockets) if (!owed.has(socket)) socket.destroy();
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #connected(socket: Socket): void {
    const network = networkOf(socket.remoteAddress);
    const held = (this.#byNetwork.get(network) ?? 0) + 1;
    if (held > this.#limits.maxConnections / 2 && !this.#isProxy(socket.remoteAddress ?? '')) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    this.#byNetwork.set(network, held);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#byNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#byNetwork.set(network, left);
      else this.#byNetwork.delete(network);
    });
  }

  #began(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => {
      this.#responses.delete(response);
      this.#unreadSince.delete(response);
    });
  }

  #endSlowReaders(now: number): void {
    for (const response of this.#responses) {
      const { socket } = response;
      if (isEventStream(response)) {
        if (socket && socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
      } else if (response.writableEnded) {
        const since = this.#unreadSince.get(response) ?? now;
        this.#unreadSince.set(response, since);
        if (now - since >= this.#limits.requestTimeoutMs) socket?.destroy();
      }
    }
  }
}
