import type { Request } from '../../sandbox/protocol.ts';
import type { Run } from './run.ts';

/** A run on the runner that executes it. A run that is given to another runner gets a new execution. */
export interface Execution {
  readonly id: number;
  /** Number of the script in the runner. */
  readonly script: number;
  readonly run: Run;
  /** True if the run is part of a shared turn. Its answer may then wait for those of others. */
  readonly sharesTurn: boolean;
  /** `performance.now()`. Waiting for a fetch counts as execution. */
  readonly startedAt: number;
  /** Fetch calls so far. */
  fetches: number;
  /** Milliseconds of CPU until the run was last parked. */
  cpuMs: number;
  /** Created when the run is first parked, aborted when it is answered. */
  abort?: AbortController;
}

export const executionOf = (run: Run, request: Request, sharesTurn: boolean): Execution => ({
  id: request.id,
  script: request.kind === 'run' ? request.script : 0,
  run,
  sharesTurn,
  startedAt: performance.now(),
  fetches: 0,
  cpuMs: 0,
});

/** The runs that a runner was given at once and executes one after another: usually one, or several quick runs of one script. */
export class Turn {
  /** Unanswered executions in their order. */
  readonly left: Execution[];
  readonly #first: Execution | undefined;
  readonly #beganAt = performance.now();
  /** `performance.now()` */
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
