import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that speaks HTTP as badly as a test wants, byte by byte. */
export class RawSocket implements Disposable {
  readonly #socket: Socket;
  #text = '';
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#text += text;
    });
    socket.on('error', () => {}); // Its connection being reset is what some tests wait for.
    socket.on('close', () => resolve());
  }

  /** @param localAddress an address of the loopback network other than the usual one */
  static async to(origin: string, localAddress = '127.0.0.1'): Promise<RawSocket> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port), localAddress });
    await once(socket, 'connect');
    return new RawSocket(socket);
  }

  send(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** Reads nothing more: what comes stays in the kernel, then with the sender. */
  stopReading(): this {
    this.#socket.pause();
    return this;
  }

  /** One character after another, until all are sent or the connection ends. */
  drip(text: string, everyMs: number): this {
    const characters = [...text];
    const timer = setInterval(() => {
      const next = characters.shift();
      if (next === undefined || this.#socket.destroyed) clearInterval(timer);
      else this.#socket.write(next);
    }, everyMs);
    this.#socket.once('close', () => clearInterval(timer));
    return this;
  }

  /** What has come so far. */
  get text(): string {
    return this.#text;
  }

  get status(): number | undefined {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.#text) ?? [];
    return status === undefined ? undefined : Number(status);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
