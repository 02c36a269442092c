import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy in front of PostgreSQL that can vanish like a host that loses power: open connections get neither a response
 * nor a close, and the address leads to a new host at once.
 */
export class VanishingHost implements AsyncDisposable {
  /** URL of the database through this host. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #pairs = new Set<[Socket, Socket]>();

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async before(databaseUrl: string): Promise<VanishingHost> {
    const target = new URL(databaseUrl);
    const server = createServer({ allowHalfOpen: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(databaseUrl);
    url.port = String((server.address() as AddressInfo).port);
    const host = new VanishingHost(server, url.href);
    server.on('connection', (outer) => host.#join(outer, connect(Number(target.port), target.hostname)));
    return host;
  }

  #join(outer: Socket, inner: Socket): void {
    const pair: [Socket, Socket] = [outer, inner];
    this.#pairs.add(pair);
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.setNoDelay().on('error', () => undefined);
    }
    outer.pipe(inner).pipe(outer);
    outer.once('close', () => this.#pairs.delete(pair));
  }

  /** @returns the number of connections that vanish */
  vanish(): number {
    const { size } = this.#pairs;
    for (const [outer, inner] of this.#pairs) {
      outer.unpipe(inner).pause();
      inner.unpipe(outer).destroy(); // PostgreSQL releases their locks.
    }
    this.#pairs.clear();
    return size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
