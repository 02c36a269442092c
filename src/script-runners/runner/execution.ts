import type { Request } from '../../../sandbox/protocol.ts';
import type { Run } from '../run.ts';
import type { RunAnswer } from '../types.ts';

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

type WithoutTime<A> = A extends unknown ? Omit<A, 'wallMs' | 'sharedTurn'> : never;

/** Gives the caller of the run its answer and aborts its fetches. */
export function settle({ run, startedAt, sharesTurn, abort }: Execution, answer: WithoutTime<RunAnswer>): void {
  abort?.abort();
  run.settle({ ...answer, wallMs: performance.now() - startedAt, sharedTurn: sharesTurn });
}
