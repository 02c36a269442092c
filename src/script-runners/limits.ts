import type { Limits } from '../../sandbox/protocol.ts';

const MB = 1024 * 1024;

/** Limits enforced in the runner and checked again here. */
const RUNNER_LIMITS: Limits = {
  resultBytes: 64_000,
  messageBytes: 1_000,
  consoleBytes: 16_000,
  runsPerIsolate: 1_000,
  turnMs: 4,
  fetches: 5,
  requestsBytes: 7 * MB,
};

/** All limits of the sandbox that are not configurable. */
export const LIMITS = {
  ...RUNNER_LIMITS,
  /** UTF-8 bytes of a script. */
  scriptBytes: 64 * 1024,
  /** UTF-8 bytes of the JSON input of a run. Enough for a large user with custom data and 32 KiB of environment variables. */
  inputBytes: 512 * 1024,
  /** MB that V8 needs to start an isolate. */
  leastMemoryMb: 8,
  /** Milliseconds after a run's time limit until the parent kills the runner. isolated-vm needs some of them to stop JavaScript itself. */
  graceMs: 100,
  /** Milliseconds between two checks of the deadline and memory of executing runners. */
  watchMs: 5,
  /** Isolates that one runner keeps. The least recently used one is unloaded first. */
  loadedScripts: 48,
  /** Milliseconds all runners may have been executing one turn each before the standby executes runs of quick tenants. */
  helpMs: 10,
  /** Milliseconds a run may compute while other tenants wait. Then its runner moves to the quarantine group. */
  slowMs: 50,
  /** Maximum number of runners in the quarantine group, including those that moved there. */
  slowRunners: 10,
  /** Resident bytes of a runner without its isolates, with room for memory that V8 frees late. */
  runnerBytes: 260 * MB,
  /** Resident bytes that one run may add to its runner, outside the isolate's own limit, such as memory of `Intl`. */
  growthBytes: 200 * MB,
  /** Maximum number of waiting runs of one tenant. */
  waitingPerTenant: 100,
  /** Maximum number of waiting runs of all tenants together. */
  waiting: 1_000,
  /** Milliseconds a run may wait for a runner before it is answered as `overloaded`. */
  waitMs: 5_000,
  /** Maximum number of runs in a shared turn. */
  turnRuns: 8,
  /** Maximum total length of the inputs of a shared turn, in characters: the runner reads that much at once. */
  turnLength: 48 * 1024,
  /** How often a run is given to another runner because its own ended of something else. */
  requeues: 2,
  /** Maximum number of parked runs of one runner. */
  parked: 16,
  /** Bytes of the body of a fetch request, and of its response. */
  fetchBytes: MB,
};

export type SandboxLimits = typeof LIMITS;
