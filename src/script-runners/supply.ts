import type { RunnerProcess } from './process/runner-process.ts';
import type { SandboxLogger } from './types.ts';

/** Runners in a row that may end without an answer before there is a pause between starts: an attack of crashes is met at full speed. */
const FREE_FAILURES = 8;

/** Milliseconds of that pause, which doubles. */
const PAUSE_MS = { first: 1, last: 5_000 };

export interface SupplyOptions {
  /** The lane's name, for the log. */
  name: string;
  spawn: () => Promise<RunnerProcess>;
  logger: SandboxLogger;
}

/** Starts the processes of a lane, and knows of all of them until they are gone. */
export class RunnerSupply {
  onReady: (process: RunnerProcess) => void = () => {};

  readonly #options: SupplyOptions;
  /** Processes that are starting, or were killed and are not gone yet. */
  readonly #pending = new Set<Promise<void>>();
  /** Replacements since the last answer of any runner. */
  #failures = 0;
  #starting = 0;
  #isClosed = false;

  constructor(options: SupplyOptions) {
    this.#options = options;
  }

  get starting(): number {
    return this.#starting;
  }

  /** Rejects when the process does not start. */
  start(): Promise<void> {
    this.#starting++;
    const started = this.#options
      .spawn()
      .finally(() => this.#starting--)
      .then((process) => (this.#isClosed ? process.kill() : this.onReady(process)));
    this.track(started.catch(() => {})); // Told to the caller; `close` only waits for it.
    return started;
  }

  /** Returns at once, and keeps trying. */
  add(): void {
    this.start().catch((err: unknown) => {
      this.#options.logger.error({ err, lane: this.#options.name }, 'a sandbox runner did not start');
      if (!this.#isClosed) this.replace();
    });
  }

  /** At once, unless runners keep dying without having answered anything: then the fault is not in the scripts. */
  replace(): void {
    const pauseMs =
      this.#failures++ < FREE_FAILURES ? 0 : Math.min(PAUSE_MS.first * 2 ** this.#failures, PAUSE_MS.last);
    if (pauseMs === 0) this.add();
    else setTimeout(() => !this.#isClosed && this.add(), pauseMs).unref();
  }

  /** Runners work: the next one that dies is replaced at once. */
  answered(): void {
    this.#failures = 0;
  }

  /** @param ending of a process that `close` has to wait for */
  track(ending: Promise<void>): void {
    this.#pending.add(ending);
    void ending.finally(() => this.#pending.delete(ending));
  }

  /** Resolves when nothing is starting or ending any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pending);
  }
}
