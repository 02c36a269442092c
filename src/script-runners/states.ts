import { StateMachine } from '../base/state.ts';

// All states of this folder, each with those that may follow. docs/states.md draws them and explains each transition.

const RUN = {
  /** In the queue of a runner group. */
  waiting: ['executing', 'answered'],
  /** Given to a runner, which may not have begun it yet. */
  executing: ['waiting', 'parked', 'answered'],
  /** Waits at its runner for a fetch. */
  parked: ['resumed', 'answered'],
  /** Executes again after a fetch. From here on it is never run again on another runner. */
  resumed: ['parked', 'answered'],
  /** The caller has the answer. */
  answered: [],
} as const;
export type RunState = keyof typeof RUN;
export const newRunState = () => new StateMachine<RunState>('run', RUN, 'waiting');

const RUNNER = {
  /** Has no run. */
  idle: ['executing', 'ended'],
  /** Has a turn. */
  executing: ['idle', 'awaiting-fetch', 'ended'],
  /** Has no turn, only runs that wait for a fetch. */
  'awaiting-fetch': ['executing', 'idle', 'ended'],
  /** The process has exited, or is about to. */
  ended: [],
} as const;
export const newRunnerState = () => new StateMachine<keyof typeof RUNNER>('runner', RUNNER, 'idle');

const RUNNER_GROUP = {
  /** No runner has been started yet. */
  cold: ['open', 'closed'],
  /** Keeps `size + standby` runners. */
  open: ['closed'],
  /** Refuses runs. Its runners are ended. */
  closed: [],
} as const;
export const newRunnerGroupState = () =>
  new StateMachine<keyof typeof RUNNER_GROUP>('runner group', RUNNER_GROUP, 'cold');

/** The state of the pool, which has all groups, or of a group's supply of processes. Both start no process once they are closed. */
export const newOpenState = (name: string) =>
  new StateMachine<'open' | 'closed'>(name, { open: ['closed'], closed: [] }, 'open');

const TENANT = {
  /** No recent strike or move. */
  clear: ['warned', 'moved'],
  /** One strike. The quarantine group starts, so that it is ready for the second. */
  warned: ['clear', 'moved', 'quarantined'],
  /** A run was moved because others waited for it. That is no strike, because the run may still succeed. */
  moved: ['clear', 'warned', 'quarantined'],
  /** Two strikes. */
  quarantined: ['clear', 'warned', 'moved'],
} as const;
export type TenantState = keyof typeof TENANT;
export const newTenantState = () => new StateMachine<TenantState>('tenant', TENANT, 'clear');

const SCRIPT = {
  /** No recent kill. */
  clear: ['suspected'],
  /** Killed a runner fewer than ten times. */
  suspected: ['clear', 'disabled'],
  /** Killed ten runners. Refused until it is uploaded again or the kills are no longer recent. */
  disabled: ['clear', 'suspected'],
} as const;
export type ScriptState = keyof typeof SCRIPT;
export const newScriptState = () => new StateMachine<ScriptState>('script', SCRIPT, 'clear');
