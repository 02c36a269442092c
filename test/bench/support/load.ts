import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** One round of requests against one path; only the bodies differ between them. */
export type Load = {
  /** Scheme, host and port. */
  origin: string;
  /** POST unless said. */
  method?: string;
  path: string;
  /** In place of `path`, one for each request; then there are no bodies. */
  paths?: string[];
  headers: Record<string, string>;
  bodies: string[];
  /** Requests in flight, each on a connection of its own. */
  connections: number;
  /** What each must be answered with; anything else ends the benchmark. */
  status: number;
};

export type Answers = {
  perSecond: number;
  /** The bodies of the answers, in the order of the requests; only where asked for. */
  bodies: string[];
};

/** Sends requests from a process of its own, so that the client never shares an event loop with what it measures. */
export class LoadDriver implements Disposable {
  readonly #child: ChildProcess = fork(new URL('load-process.ts', import.meta.url), { serialization: 'advanced' });

  async send(load: Load): Promise<Answers> {
    this.#child.send(load);
    const [answer]: [Answers | { error: string }] = (await once(this.#child, 'message')) as never;
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}
