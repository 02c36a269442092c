import type { Limits } from '../../sandbox/protocol.ts';

/** UTF-8 bytes of a script. */
export const SCRIPT_BYTES = 64 * 1024;

/** UTF-8 bytes of the JSON a run receives: a large user, its custom data and 32 KiB of environment variables fit. */
export const INPUT_BYTES = 512 * 1024;

/** Limits that the runner applies first and the parent checks again. */
export const LIMITS: Limits = {
  resultBytes: 64_000,
  messageBytes: 1_000,
  consoleBytes: 16_000,
  runsPerIsolate: 1_000,
  fetches: 5,
};

/** Milliseconds past the script's time after which the parent kills: what isolated-vm needs to stop JavaScript by itself. */
export const GRACE_MS = 100;

/** Milliseconds between two looks at the deadlines and the memory of runners that execute. */
export const WATCH_MS = 5;

/** MB of one isolate. V8 needs this much to start. */
export const MEMORY_MB = { least: 8 };

/** Isolates one runner keeps; the least recently used one goes first. */
export const LOADED_SCRIPTS = 48;

/** Resident bytes of a runner without scripts, with room for what V8 frees late. */
export const RUNNER_BYTES = 260 * 1024 * 1024;

/** Resident bytes one run may add to its runner: memory outside the isolate's limit, such as that of `Intl`. */
export const RUN_GROWTH_BYTES = 200 * 1024 * 1024;

/** Runs that may wait, of one tenant and in all. */
export const WAITING_PER_TENANT = 100;
export const WAITING = 1_000;

/** Milliseconds a run may wait for its turn before it is answered as overload. */
export const WAIT_MS = 5_000;

/** Times a run that had not started is given to another runner when its own died. */
export const REQUEUES = 2;

/** Bytes of one frame from a runner. More means that the runner is no longer ours. */
export const FRAME_BYTES = 1024 * 1024;
