import type { ConsoleLine, Failure, FetchAnswer, FetchRequest, Reply } from '../../sandbox/protocol.ts';
import type { SandboxLimits } from './limits.ts';

/** Receives figures for metrics. */
export interface SandboxObserver {
  /** @param waitMs milliseconds the run waited for a runner */
  ran(outcome: RunOutcome, waitMs: number): void;
  /** A runner was stopped because of a script, crashed, or was replaced because its memory had grown. */
  runnerEnded(): void;
}

/** The part of a pino logger that the sandbox uses. */
export type SandboxLogger = Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>;

/**
 * Sends one fetch request of a script. The implementation restricts the destination: allowed hosts, public addresses, no redirects.
 * It rejects with `FetchRefusal` if the script may see the reason. Any other error looks like a network failure to the script.
 */
export type SandboxFetch = (tenantId: string, request: FetchRequest, limits: FetchLimits) => Promise<FetchAnswer>;

export interface FetchLimits {
  /** Aborted when the run ends. */
  signal: AbortSignal;
  /** Maximum size of the response body in bytes. */
  responseBytes: number;
}

export interface SandboxOptions {
  /** Runners that execute at the same time. One more is kept ready as a standby. */
  runners: number;
  /** Time limit of one run in milliseconds, set by the operator. A request can lower it. */
  timeoutMs: number;
  /** Memory limit of one isolate in MB, at least 8, set by the operator. A request can lower it. */
  memoryMb: number;
  /** With `runner-per-tenant` no two tenants ever share a process. Rules out side channels, but is slower and needs more memory. */
  isolation?: 'shared' | 'runner-per-tenant';
  /** Hardening layers that must be active. `start` throws if one is missing. */
  require?: string[];
  /** False starts the runners without hardening layers, for tests and benchmarks. */
  harden?: boolean;
  /** Names of layers to leave out, for tests that show what each of them prevents. */
  withoutLayers?: string[];
  /** Overrides of `LIMITS`, for tests. */
  limits?: Partial<SandboxLimits>;
  logger: SandboxLogger;
  /** Present only if the operator allowed hosts. Without it scripts have no `fetch`. */
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
  /** Milliseconds from handing the run to a runner until its answer, as measured here. In a shared turn, as reported by the runner. */
  wallMs: number;
  /** Milliseconds the isolate was executing. For a killed run the same as `wallMs`. */
  cpuMs: number;
  /** Console output of the script. Empty if the run was killed or timed out waiting for a fetch, because it is lost then. */
  console: ConsoleLine[];
  /** True if the run used a context prepared in advance. */
  spareUsed: boolean;
} & RunResult;

export type RunResult = { result: 'ok'; output: Record<string, unknown> } | { result: FailedResult; message: string };

export type FailedResult = Failure | Stopped['result'] | 'quarantined';

export type CompileOutcome =
  | { ok: true }
  | {
      ok: false;
      message: string;
      line?: number;
      column?: number;
      /** The script was not checked because the sandbox is overloaded. The caller can try again later. */
      overloaded?: true;
    };

/** A tenant's script, identified by its content. */
export interface ScriptVersion {
  tenantId: string;
  source: string;
  /** Unique per tenant and source, so that tenants with equal sources do not share an isolate. */
  key: string;
}

/** The result of a run that the pool stopped or refused. */
export interface Stopped {
  result: 'memory' | 'killed' | 'timeout' | 'overloaded';
  message: string;
}

/** The answer to a run: the reply of its runner, or the reason why the pool stopped or refused it. */
export type RunAnswer = {
  wallMs: number;
  /** True for a shared turn. `wallMs` is then the time that all of its runs took together. */
  sharedTurn?: boolean;
} & (
  | { from: 'runner'; reply: Extract<Reply, { kind: 'done' | 'compiled' }> }
  /** `endedRunner`: the run ended its runner, which is already counted against the script. */
  | ({ from: 'pool'; cpuMs?: number; endedRunner?: true } & Stopped)
);
