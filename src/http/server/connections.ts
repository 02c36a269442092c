import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../base/address.ts';
import type { Config } from '../../config/index.ts';

/** Most bytes of an event stream to buffer for a client that does not read them. */
const MAX_UNREAD_BYTES = 1024 * 1024;

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** True if the request has arrived completely and its response is not written yet. An event stream does not count. */
const isInProgress = (response: ServerResponse): boolean =>
  response.req.complete && !response.writableEnded && !isEventStream(response);

type ConnectionLimits = Pick<Config['limits'], 'maxConnections' | 'requestTimeoutMs'>;

/**
 * Tracks open connections and requests in progress. One address (for IPv6, one /64 network) can have at most half of
 * the connections, unless it is a trusted proxy. A client that does not read its response is disconnected.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #isProxy: (address: string) => boolean;
  readonly #sockets = new Set<Socket>();
  readonly #byNetwork = new Map<string, number>();
  readonly #responses = new Set<ServerResponse>();
  /** Completely written responses that the client has not read yet, and when the sweep first saw them. */
  readonly #unreadSince = new Map<ServerResponse, number>();
  readonly #sweep: NodeJS.Timeout;

  constructor(server: Server, limits: ConnectionLimits, isProxy: (address: string) => boolean) {
    this.#limits = limits;
    this.#isProxy = isProxy;
    server.maxConnections = limits.maxConnections;
    server.on('connection', (socket) => this.#trackSocket(socket));
    server.on('drop', () => server.closeIdleConnections()); // Makes room for the next connection.
    server.on('request', (_request, response) => this.#trackResponse(response));
    const sweep = () => this.#closeSlowReaders(performance.now());
    this.#sweep = setInterval(sweep, limits.requestTimeoutMs / 4).unref();
  }

  get size(): number {
    return this.#sockets.size;
  }

  /**
   * True if more than this number of requests are in progress. A request that is still arriving does not count, nor one
   * whose response is still being read, so that slow clients do not take capacity from others.
   */
  hasMoreThan(requests: number): boolean {
    return this.#responses.size > requests && this.inProgress > requests;
  }

  /** The number of requests in progress. */
  get inProgress(): number {
    let inProgress = 0;
    for (const response of this.#responses) if (isInProgress(response)) inProgress += 1;
    return inProgress;
  }

  /** Closes connections that wait for no response: idle ones, incomplete requests, and event streams. */
  closeInactive(): void {
    const owed = new Set<Socket | null>();
    for (const response of this.#responses)
      if (response.req.complete && !isEventStream(response)) owed.add(response.socket);
    for (const socket of this.#sockets) if (!owed.has(socket)) socket.destroy();
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #trackSocket(socket: Socket): void {
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

  #trackResponse(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => {
      this.#responses.delete(response);
      this.#unreadSince.delete(response);
    });
  }

  #closeSlowReaders(now: number): void {
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
