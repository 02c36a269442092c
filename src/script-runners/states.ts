import { StateMachine } from '../base/state.ts';

/*
 * All states of this folder. docs/states.md draws them and explains each transition.
 */

/**
 * - `waiting`: in the queue of a runner group.
 * - `executing`: given to a runner, which may not have begun it yet.
 * - `parked`: waits at its runner for a fetch.
 * - `resumed`: executes again after a fetch. From here on it is never run again on another runner.
 * - `answered`: the caller has the answer.
 */
export type RunState = 'waiting' | 'executing' | 'parked' | 'resumed' | 'answered';

export const newRunState = () =>
  new StateMachine<RunState>(
    'run',
    {
      waiting: ['executing', 'answered'],
      executing: ['waiting', 'parked', 'answered'],
      parked: ['resumed', 'answered'],
      resumed: ['parked', 'answered'],
      answered: [],
    },
    'waiting',
  );

/**
 * - `idle`: has no run.
 * - `executing`: has a turn.
 * - `awaiting-fetch`: has no turn, only runs that wait for a fetch.
 * - `ended`: the process has exited, or is about to.
 */
export type RunnerState = 'idle' | 'executing' | 'awaiting-fetch' | 'ended';

export const newRunnerState = () =>
  new StateMachine<RunnerState>(
    'runner',
    {
      idle: ['executing', 'ended'],
      executing: ['idle', 'awaiting-fetch', 'ended'],
      'awaiting-fetch': ['executing', 'idle', 'ended'],
      ended: [],
    },
    'idle',
  );

/**
 * - `cold`: no runner has been started yet.
 * - `open`: keeps `size + standby` runners.
 * - `closed`: refuses runs. Its runners are ended.
 */
export type RunnerGroupState = 'cold' | 'open' | 'closed';

export const newRunnerGroupState = () =>
  new StateMachine<RunnerGroupState>(
    'runner group',
    { cold: ['open', 'closed'], open: ['closed'], closed: [] },
    'cold',
  );

/** The pool, which has all groups, and a group's supply of processes. Both start no process once they are closed. */
export type OpenState = 'open' | 'closed';

export const newOpenState = (name: string) =>
  new StateMachine<OpenState>(name, { open: ['closed'], closed: [] }, 'open');

/**
 * - `clear`: no recent strike or move.
 * - `warned`: one strike. The quarantine group starts, so that it is ready for the second.
 * - `moved`: a run was moved because others waited for it. That is no strike, because the run may still succeed.
 * - `quarantined`: two strikes.
 */
export type TenantState = 'clear' | 'warned' | 'moved' | 'quarantined';

export const newTenantState = () =>
  new StateMachine<TenantState>(
    'tenant',
    {
      clear: ['warned', 'moved'],
      warned: ['clear', 'moved', 'quarantined'],
      moved: ['clear', 'warned', 'quarantined'],
      quarantined: ['clear', 'warned', 'moved'],
    },
    'clear',
  );

/**
 * - `clear`: no recent kill.
 * - `suspected`: killed a runner fewer than ten times.
 * - `disabled`: killed ten runners. Refused until it is uploaded again or the kills are no longer recent.
 */
export type ScriptState = 'clear' | 'suspected' | 'disabled';

export const newScriptState = () =>
  new StateMachine<ScriptState>(
    'script',
    { clear: ['suspected'], suspected: ['clear', 'disabled'], disabled: ['clear', 'suspected'] },
    'clear',
  );
