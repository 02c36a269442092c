import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const PROTOCOL = 196_608;
/** Startup parameters that PgBouncer allows; it refuses others. */
const ALLOWED = new Set(['user', 'database', 'client_encoding', 'application_name']);

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int32 = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeInt32BE(value, index * 4);
  return buffer;
};
const startup = (fields: Record<string, string>): Buffer => {
  const text = `${Object.entries(fields)
    .map(([name, value]) => `${name}\0${value}\0`)
    .join('')}\0`;
  return Buffer.concat([int32(text.length + 8, PROTOCOL), Buffer.from(text)]);
};

/** Splits incoming data into messages of the PostgreSQL protocol and passes each to `onMessage`. */
function messagesOf(socket: Socket, onMessage: (type: string, whole: Buffer) => void): (more: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  const push = (more: Buffer) => {
    rest = Buffer.concat([rest, more]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const whole = rest.subarray(0, rest.readInt32BE(1) + 1);
      rest = rest.subarray(whole.length);
      onMessage(String.fromCharCode(whole[0] as number), whole);
    }
  };
  socket.on('data', push);
  return push;
}

interface Server {
  socket: Socket;
  /** The client whose transaction uses it. */
  client: Socket | undefined;
}

/**
 * A minimal pooler in transaction mode. Each transaction of a client uses the server connection that has been idle
 * longest, so that two consecutive ones never share a connection while others are idle.
 */
export class TransactionPooler implements AsyncDisposable {
  readonly #target: URL;
  readonly #idle: Server[] = [];
  readonly #waiting: ((server: Server) => void)[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #listener = createServer((client) => this.#serve(client));

  private constructor(target: URL) {
    this.#target = target;
  }

  static async before(databaseUrl: string, size = 4): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(new URL(databaseUrl));
    for (let n = 0; n < size; n += 1) await pooler.#open();
    pooler.#listener.listen(0, '127.0.0.1');
    await once(pooler.#listener, 'listening');
    return pooler;
  }

  get url(): string {
    return Object.assign(new URL(this.#target), { port: (this.#listener.address() as AddressInfo).port }).href;
  }

  async #open(): Promise<void> {
    const socket = this.#track(connect(Number(this.#target.port), this.#target.hostname));
    const server: Server = { socket, client: undefined };
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    messagesOf(socket, (type, whole) => {
      server.client?.write(whole);
      if (type !== 'Z' || whole[5] !== 'I'.charCodeAt(0)) return;
      server.client = undefined;
      const next = this.#waiting.shift();
      if (next) next(server);
      else this.#idle.push(server);
      resolve();
    });
    socket.write(startup({ user: this.#target.username, database: this.#target.pathname.slice(1) }));
    await ready;
  }

  #serve(client: Socket): void {
    this.#track(client);
    let current: Server | undefined;
    let batch: Buffer[] = [];
    const send = (server: Server) => {
      current = server;
      server.client = client;
      server.socket.write(Buffer.concat(batch));
      batch = [];
    };
    client.once('data', (startupMessage: Buffer) => {
      const names = startupMessage.toString('utf8', 8).split('\0');
      const refused = names.find((name, index) => index % 2 === 0 && name && !ALLOWED.has(name));
      if (refused) {
        const text = `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
        return void client.end(message('E', Buffer.from(text)));
      }
      client.write(
        Buffer.concat([message('R', int32(0)), message('K', int32(2_000_000_000, 1)), message('Z', Buffer.from('I'))]),
      );
      messagesOf(client, (type, whole) => {
        if (type === 'X') return void client.end();
        batch.push(whole);
        if (type !== 'Q' && type !== 'S') return;
        if (current?.client === client) return send(current);
        const server = this.#idle.shift();
        if (server) send(server);
        else this.#waiting.push(send);
      });
    });
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket.setNoDelay());
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#listener.close(done));
  }
}
