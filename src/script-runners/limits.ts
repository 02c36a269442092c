import type { Limits } from '../../sandbox/protocol.ts';

/** Every limit of the sandbox that the operator does not set. Those of `Limits` hold inside the runner and again here. */
export interface SandboxLimits extends Limits {
  /** UTF-8 bytes of a script. */
  scriptBytes: number;
  /** UTF-8 bytes of the JSON a run receives. */
  inputBytes: number;
  /** MB: V8 needs this much to start an isolate. */
  leastMemoryMb: number;
  /** Milliseconds past the script's time after which the parent kills; isolated-vm needs some to stop JavaScript by itself. */
  graceMs: number;
  /** Milliseconds between two looks at the deadline and the memory of runners that execute. */
  watchMs: number;
  /** Isolates one runner keeps; the least recently used goes first. */
  loadedScripts: number;
  /** Milliseconds a run may compute while other tenants wait. Then it goes on in the quarantine lane, with its runner. */
  slowMs: number;
  /** Runners the quarantine lane may have while it takes over such runs. */
  slowRunners: number;
  /** Resident bytes of a runner beside its isolates, with room for what V8 frees late. */
  runnerBytes: number;
  /** Resident bytes one run may add to its runner: memory outside the isolate's own limit, such as that of `Intl`. */
  growthBytes: number;
  /** Runs of one tenant that may wait, and of all. */
  waitingPerTenant: number;
  waiting: number;
  /** Milliseconds a run may wait for its turn before it is answered as overload. */
  waitMs: number;
  /** Runs of one script that a runner is given at once, when they are quick and nobody else waits. */
  turnRuns: number;
  /** Characters of their inputs together: what is read at once. */
  turnLength: number;
  /** Times a run that was not the cause is given to another runner because its own died. */
  requeues: number;
  /** Runs of one runner that may wait for a `fetch` at the same time. */
  parked: number;
  /** Bytes of a fetched body, both ways. */
  fetchBytes: number;
}

const MB = 1024 * 1024;

export const LIMITS: SandboxLimits = {
  scriptBytes: 64 * 1024,
  inputBytes: 512 * 1024, // A large user, its custom data and 32 KiB of environment variables.
  resultBytes: 64_000,
  messageBytes: 1_000,
  consoleBytes: 16_000,
  leastMemoryMb: 8,
  graceMs: 100,
  watchMs: 5,
  runsPerIsolate: 1_000,
  loadedScripts: 48,
  slowMs: 50,
  slowRunners: 10,
  runnerBytes: 260 * MB,
  growthBytes: 200 * MB,
  waitingPerTenant: 100,
  waiting: 1_000,
  waitMs: 5_000,
  turnRuns: 8,
  turnLength: 48 * 1024,
  turnMs: 4,
  requeues: 2,
  parked: 16,
  fetches: 5,
  requestsBytes: 7 * MB,
  fetchBytes: MB,
};
