import type { Limits } from '../../sandbox/protocol.ts';

/** All limits of the sandbox that are not configurable. Those of `Limits` are enforced in the runner and checked again here. */
export interface SandboxLimits extends Limits {
  /** UTF-8 bytes of a script. */
  scriptBytes: number;
  /** UTF-8 bytes of the JSON input of a run. */
  inputBytes: number;
  /** MB that V8 needs to start an isolate. */
  leastMemoryMb: number;
  /** Milliseconds after a run's time limit until the parent kills the runner. isolated-vm needs some of them to stop JavaScript itself. */
  graceMs: number;
  /** Milliseconds between two checks of the deadline and memory of executing runners. */
  watchMs: number;
  /** Isolates that one runner keeps. The least recently used one is unloaded first. */
  loadedScripts: number;
  /** Milliseconds a run may compute while other tenants wait. Then its runner moves to the quarantine group. */
  slowMs: number;
  /** Maximum number of runners in the quarantine group, including those that moved there. */
  slowRunners: number;
  /** Resident bytes of a runner without its isolates, with room for memory that V8 frees late. */
  runnerBytes: number;
  /** Resident bytes that one run may add to its runner, outside the isolate's own limit, such as memory of `Intl`. */
  growthBytes: number;
  /** Maximum number of waiting runs of one tenant. */
  waitingPerTenant: number;
  /** Maximum number of waiting runs of all tenants together. */
  waiting: number;
  /** Milliseconds a run may wait for a runner before it is answered as `overloaded`. */
  waitMs: number;
  /** Maximum number of runs in a shared turn. */
  turnRuns: number;
  /** Maximum total length of the inputs of a shared turn, in characters: the runner reads that much at once. */
  turnLength: number;
  /** How often a run is given to another runner because its own ended of something else. */
  requeues: number;
  /** Maximum number of parked runs of one runner. */
  parked: number;
  /** Bytes of the body of a fetch request, and of its response. */
  fetchBytes: number;
}

const MB = 1024 * 1024;

export const LIMITS: SandboxLimits = {
  scriptBytes: 64 * 1024,
  inputBytes: 512 * 1024, // Enough for a large user with custom data and 32 KiB of environment variables.
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
