import type { Execution } from './execution.ts';

/** The runs that a runner was given at once and executes one after another: usually one, or several quick runs of one script. */
export class Turn {
  /** Unanswered executions in their order. */
  readonly left: Execution[];
  readonly #first: Execution | undefined;
  readonly #beganAt = performance.now();
  /** The deadline of the turn, as `performance.now()`. */
  readonly #endsAt: number;

  /** @param turnMs a runner starts no further run of a shared turn once this has passed, so one deadline covers the whole turn */
  constructor(executions: Execution[], turnMs: number) {
    this.left = executions;
    const [first] = executions;
    this.#first = first;
    this.#endsAt = first ? first.startedAt + first.run.timeoutMs + (first.sharesTurn ? turnMs : 0) : 0;
  }

  /** True once the deadline plus `graceMs` has passed. Messages from the runner do not extend it. */
  isOver(now: number, graceMs: number): boolean {
    return now > this.#endsAt + graceMs;
  }

  /** Milliseconds since the turn began. */
  age(now: number): number {
    return now - this.#beganAt;
  }

  find(id: number): Execution | undefined {
    return this.left.find((execution) => execution.id === id);
  }

  /** False for the first run of the turn: the runner must begin it at once. */
  mayHandBack(execution: Execution): boolean {
    return execution !== this.#first;
  }

  remove(execution: Execution): void {
    this.left.splice(this.left.indexOf(execution), 1);
  }
}
