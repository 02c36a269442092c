import type { Execution } from './parking.ts';

/** What a runner was given at once and does one after another: a single job, mostly, or quick runs of one script. */
export class Turn {
  /** Those without an answer, in their order. */
  readonly left: Execution[];
  readonly #first: Execution | undefined;
  readonly #beganAt = performance.now();
  /** `performance.now()` */
  readonly #endsAt: number;

  /** @param turnMs after which a runner begins none of several any more: so one end holds for all */
  constructor(executions: Execution[], turnMs: number) {
    this.left = executions;
    const [first] = executions;
    this.#first = first;
    this.#endsAt = first ? first.startedAt + first.job.timeoutMs + (first.sharesTurn ? turnMs : 0) : 0;
  }

  /** By so many milliseconds. Whatever the runner says meanwhile gives it no new time. */
  isOver(now: number, graceMs: number): boolean {
    return now > this.#endsAt + graceMs;
  }

  /** Milliseconds since it began. */
  age(now: number): number {
    return now - this.#beganAt;
  }

  find(id: number): Execution | undefined {
    return this.left.find((execution) => execution.id === id);
  }

  /** Never what the runner had to begin at once. */
  mayGiveBack(execution: Execution): boolean {
    return execution !== this.#first;
  }

  remove(execution: Execution): void {
    this.left.splice(this.left.indexOf(execution), 1);
  }
}
