import type { Run } from '../run.ts';
import type { ScriptVersion } from '../types.ts';

/** The group that a runner belongs to, as the runner uses it. `Runner` is a parameter only because imports may not be circular. */
export interface RunnerOwner<Runner> {
  /** The runner may be free. `run` has left the state `executing`. Undefined if that run had been parked before. */
  freed(runner: Runner, run: Run | undefined): void;
  /** The runner did not begin this run. */
  handedBack(run: Run): void;
  ended(runner: Runner, end: RunnerEnd): void;
  /** A step of the runner failed, which ends the runner. */
  failed(runner: Runner, error: unknown): void;
}

/** Why a runner ended, and which runs it leaves behind. */
export interface RunnerEnd {
  /** The script that was executing, or that executed last. Undefined if no script is to blame. */
  cause: ScriptVersion | undefined;
  /** Unanswered runs that are not the cause: not begun yet, or their answers were lost. */
  innocent: Run[];
}
