import type { Execution } from './sandbox-parking.ts';

/** What a runner was given at once and does one after another: a single job, mostly, or quick runs of one script. */
export class Turn {
  /** Those without an answer, in their order. */
  readonly #left: Execution[];
  readonly #first: Execution | undefined;
  #executing: Execution | undefined;
  /** `performance.now()` from when its time counts. */
  #since: number;

  constructor(executions: Execution[]) {
    this.#left = executions;
    [this.#first] = executions;
    this.#executing = this.#first;
    this.#since = this.#first?.startedAt ?? 0;
  }

  get left(): readonly Execution[] {
    return this.#left;
  }

  /** As far as is known. */
  get executing(): Execution | undefined {
    return this.#executing;
  }

  /** Of `executing`, by so many milliseconds. */
  isOver(now: number, graceMs: number): boolean {
    return this.#executing !== undefined && now > this.#since + this.#executing.job.timeoutMs + graceMs;
  }

  find(id: number): Execution | undefined {
    return this.#left.find((execution) => execution.id === id);
  }

  /** Never what the runner had to begin at once. */
  mayGiveBack(execution: Execution): boolean {
    return execution !== this.#first;
  }

  remove(execution: Execution, now: number): void {
    this.#left.splice(this.#left.indexOf(execution), 1);
    if (execution === this.#executing) this.#goOn(this.#left[0], now);
  }

  /**
   * Answers come together, so they do not tell which run is executing.
   *
   * @param lastBegun what the runner noted
   * @returns true when it is another than was known
   */
  look(lastBegun: number, now: number): boolean {
    const begun = this.find(lastBegun);
    if (!begun || begun === this.#executing) return false;
    this.#goOn(begun, now);
    return true;
  }

  #goOn(next: Execution | undefined, now: number): void {
    this.#executing = next;
    this.#since = now;
  }
}
