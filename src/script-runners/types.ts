import type { ConsoleLine, FetchAnswer, FetchRequest, Reply } from '../../sandbox/protocol.ts';
import type { SandboxLimits } from './limits.ts';

/** For metrics. */
export interface SandboxObserver {
  /** `waitMs`: for its turn. */
  ran(outcome: RunOutcome, waitMs: number): void;
  /** A child process is no more: stopped because of its script, crashed, or worn out. */
  runnerEnded(): void;
}

/** The part of a pino logger that the sandbox uses. */
export interface SandboxLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/**
 * Does one request of a script. Rejects for what must not be told apart from a network failure. Whoever gives this answers for
 * the destination: allowed hosts only, public addresses, no redirect to elsewhere.
 */
export type SandboxFetch = (tenantId: string, request: FetchRequest, limits: FetchLimits) => Promise<FetchAnswer>;

export interface FetchLimits {
  /** Aborted when the run is over. */
  signal: AbortSignal;
  /** Bytes of the answer's body. */
  responseBytes: number;
}

export interface SandboxOptions {
  /** Runners that execute at the same time; one more is kept hot. */
  runners: number;
  /** The operator's limit for one run, in milliseconds of wall time. A request may ask for less. */
  timeoutMs: number;
  /** The operator's limit for one isolate, in MB; at least 8. A request may ask for less. */
  memoryMb: number;
  /** `runner-per-tenant`: no two tenants share a process, ever; for operators who fear side channels. Slower and larger. */
  isolation?: 'shared' | 'runner-per-tenant';
  /** Hardening layers without which `start` throws. */
  require?: string[];
  /** False starts the runners without any hardening layer: for tests and benchmarks. */
  harden?: boolean;
  /** Layers to leave out, by name: for tests that show what each is for. */
  withoutLayers?: string[];
  /** Other limits than the usual: for tests. */
  limits?: Partial<SandboxLimits>;
  logger: SandboxLogger;
  /** Given only when the operator allowed hosts; without it scripts have no `fetch`. */
  fetch?: SandboxFetch | undefined;
  observer?: SandboxObserver | undefined;
}

export interface RunRequest {
  tenantId: string;
  source: string;
  /** JSON text of an object. */
  input: string;
  timeoutMs?: number | undefined;
  memoryMb?: number | undefined;
}

export type RunOutcome = {
  /** Milliseconds from handing the run to a runner to its answer, without waiting for a turn. In a shared turn, by the runner's word. */
  wallMs: number;
  /** Milliseconds the isolate was executing; for a killed run the wall time. */
  cpuMs: number;
  /** What the script wrote; empty when it was killed or gave up waiting for a fetch, as it could not be asked any more. */
  console: ConsoleLine[];
  /** Whether the fresh context had been prepared ahead. */
  spareUsed: boolean;
} & (
  | { result: 'ok'; output: Record<string, unknown> }
  | {
      result:
        | 'denied'
        | 'thrown'
        | 'timeout'
        | 'memory'
        | 'killed'
        | 'invalid-result'
        | 'too-large'
        | 'overloaded'
        | 'quarantined';
      message: string;
    }
);

export type CompileOutcome =
  | { ok: true }
  | {
      ok: false;
      message: string;
      line?: number;
      column?: number;
      /** The script was not tried; asking again later may help. */
      overloaded?: true;
    };

/** A tenant's script, by content: what runs are accounted to. */
export interface ScriptVersion {
  tenantId: string;
  source: string;
  /** Differs between tenants even for equal sources, so no two tenants share an isolate. */
  key: string;
}

/** Why a job has no answer from its script. */
export interface Stopped {
  result: 'memory' | 'killed' | 'timeout' | 'overloaded';
  message: string;
}

/** Work for a runner: waits in a queue, is executed once, settles once. */
export interface Job {
  script: ScriptVersion;
  timeoutMs: number;
  memoryMb: number;
  /** JSON text; absent when the script is only compiled. */
  input?: string | undefined;
  /** `performance.now()` */
  queuedAt: number;
  /** Runners that died before they answered this job, and not of it. */
  requeues: number;
  settle(answer: Answer): void;
}

export type Answer = {
  wallMs: number;
  /** Then `wallMs` is the time of all who shared it. */
  sharedTurn?: boolean;
} & (
  | { from: 'runner'; reply: Extract<Reply, { kind: 'done' | 'compiled' }> }
  /** `endedRunner`: the runner died of it, and that has been counted against the script. */
  | ({ from: 'pool'; cpuMs?: number; endedRunner?: true } & Stopped)
);
