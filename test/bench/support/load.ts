import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** One round of requests to one path. Only the bodies differ. */
export type Load = {
  /** Scheme, host and port. */
  origin: string;
  /** Default: POST. */
  method?: string;
  path: string;
  /** Instead of `path`: one path per request, without bodies. */
  paths?: string[];
  headers: Record<string, string>;
  bodies: string[];
  /** Requests in flight, each on its own connection. */
  connections: number;
  /** One request is due after each interval, whether the ones before it were answered or not. Default: no pauses. */
  intervalMs?: number;
  /** The expected status of every response. Any other ends the benchmark. */
  status: number;
};

export type Answers = {
  perSecond: number;
  /** Latency of every request: from when it was due, or was sent if there is no interval, to the end of its response. */
  latenciesMs: number[];
  /** The response bodies in the order of the requests, if requested. */
  bodies: string[];
};

/** Sends requests from a separate process, so that the client never shares an event loop with the measured service. */
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
