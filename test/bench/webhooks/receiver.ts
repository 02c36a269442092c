import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The number of each message and its arrival time (milliseconds since the epoch, with fractions). */
export type Arrivals = [at: number, n: number][];

/** A receiver in a process of its own, so that it never shares an event loop with the sender. */
export class BenchReceiver implements Disposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}/hook`;
  }

  static async start(): Promise<BenchReceiver> {
    const child = fork(new URL('receiver-process.ts', import.meta.url));
    const [port] = await once(child, 'message');
    return new BenchReceiver(child, port);
  }

  /** Resets the counter. Await it before sending, then await `last` until that many have arrived. */
  async expect(count: number): Promise<{ last: Promise<unknown> }> {
    this.#child.send(count);
    await once(this.#child, 'message');
    return { last: once(this.#child, 'message') };
  }

  /** Returns the arrivals since `expect`. Not before the last one, because it keeps the receiver busy. */
  async arrivals(): Promise<Arrivals> {
    this.#child.send('arrivals');
    const [arrivals] = await once(this.#child, 'message');
    return arrivals;
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

export const instant = (): number => performance.timeOrigin + performance.now();
