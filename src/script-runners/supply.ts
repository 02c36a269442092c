import type { RunnerGroupOptions } from './group-options.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import { newOpenState } from './states.ts';

/** Runners in a row that may end without an answer before starts are delayed, so that an attack with crashes does not delay them. */
const FREE_FAILURES = 8;

/** Milliseconds of the delay, which doubles with each failure. */
const DELAY_MS = { first: 1, last: 5_000 };

type SupplyOptions = Pick<RunnerGroupOptions, 'name' | 'spawn' | 'logger'>;

/** Starts the processes of a runner group and tracks all of them until they are gone. */
export class RunnerSupply {
  readonly #options: SupplyOptions;
  readonly #onReady: (process: RunnerProcess) => void;
  readonly #state = newOpenState('supply');
  /** Processes that are starting, or were killed and are not gone yet. */
  readonly #pending = new Set<Promise<void>>();
  /** Replacements since a runner last answered. */
  #failures = 0;
  #starting = 0;

  constructor(options: SupplyOptions, onReady: (process: RunnerProcess) => void) {
    this.#options = options;
    this.#onReady = onReady;
  }

  get starting(): number {
    return this.#starting;
  }

  /** Rejects if the process does not start. */
  start(): Promise<void> {
    this.#starting++;
    const started = this.#options
      .spawn()
      .finally(() => this.#starting--)
      .then((process) => (this.#state.is('closed') ? process.kill() : this.#onReady(process)));
    this.track(started.catch(() => {})); // Reported to the caller. `close` only waits for the end.
    return started;
  }

  /** Returns at once and retries until a process has started. */
  add(): void {
    this.start().catch((err: unknown) => {
      this.#options.logger.error({ err, runnerGroup: this.#options.name }, 'A sandbox runner failed to start');
      if (this.#state.is('open')) this.replace();
    });
  }

  /** Starts a process at once, or later if runners keep ending without having answered: then scripts are not the cause. */
  replace(): void {
    const delayMs =
      this.#failures++ < FREE_FAILURES ? 0 : Math.min(DELAY_MS.first * 2 ** this.#failures, DELAY_MS.last);
    if (delayMs === 0) this.add();
    else setTimeout(() => this.#state.is('open') && this.add(), delayMs).unref();
  }

  /** Resets the delay, because a runner has answered. */
  answered(): void {
    this.#failures = 0;
  }

  /** @param ending of a process that `close` has to wait for */
  track(ending: Promise<void>): void {
    this.#pending.add(ending);
    void ending.finally(() => this.#pending.delete(ending));
  }

  /** Resolves once no process is starting or ending. */
  async close(): Promise<void> {
    this.#state.enter('closed');
    await Promise.all(this.#pending);
  }
}
