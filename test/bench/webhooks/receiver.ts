import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** When each message arrived (milliseconds since the epoch, with fractions), and its number. */
export type Arrivals = [at: number, n: number][];

/** A receiver in a process of its own, so that it never shares an event loop with what delivers to it. */
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

  /** Counts from nought. Await this before sending, then `arrivals` for the count to be reached. */
  async expect(count: number): Promise<{ arrivals: Promise<Arrivals> }> {
    this.#child.send(count);
    await once(this.#child, 'message');
    return { arrivals: once(this.#child, 'message').then(([arrivals]) => arrivals) };
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

export const instant = (): number => performance.timeOrigin + performance.now();
