import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that can send malformed HTTP, byte by byte. */
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
    socket.on('error', () => {}); // Some tests wait for a connection reset.
    socket.on('close', () => resolve());
  }

  /** @param localAddress another address of the loopback network than the default */
  static async to(origin: string, localAddress = '127.0.0.1'): Promise<RawSocket> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port), localAddress });
    await once(socket, 'connect');
    return new RawSocket(socket);
  }

  send(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** Stops reading: data stays in the kernel's buffers, then at the sender. */
  stopReading(): this {
    this.#socket.pause();
    return this;
  }

  /** Sends one character after another until all are sent or the connection is closed. */
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

  /** The data received so far. */
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
