/** A script that is not one, or does not compile; `line` and `column` count from 1. */
export interface ScriptFault {
  message: string;
  line?: number;
  column?: number;
}

/** How a test run of a script ended. */
export interface ScriptTrial {
  result: string;
  /** What it returned: only of `ok`. */
  output?: Record<string, unknown>;
  message?: string;
  console: { level: string; text: string }[];
  wallMs: number;
  cpuMs: number;
}

export interface HookTest {
  url: string;
  headers: Record<string, string>;
  signingKey: string;
  hookId: string;
  /** The exact bodies to send, one an event. */
  events: { id: string; type: string; body: string }[];
}

/** The slow work a row may ask for in `prepare`. Declared here so that rows need not know who does it. */
export interface Services {
  /** The operator's limits of one script run. */
  scriptLimits: { timeoutMs: number; memoryMb: number };
  hashPassword(tenantId: string, password: string): Promise<string>;
  verifyPassword(tenantId: string, digest: string, password: string): Promise<boolean>;
  /** Undefined when the script compiles and defines `getCustomJwtClaims`. */
  compileScript(tenantId: string, script: string): Promise<ScriptFault | undefined>;
  /** `limits`: the tenant's own, where they are lower than the operator's. */
  runScript(
    tenantId: string,
    script: string,
    input: Record<string, unknown>,
    limits: { timeoutMs?: number; memoryMb?: number },
  ): Promise<ScriptTrial>;
  /** Undefined when every event was answered with 2xx; otherwise the status, or none when nobody answered. */
  sendHookTest(test: HookTest): Promise<undefined | { status?: number; reason: string }>;
  /** Why a webhook must not be sent to this URL; undefined when it may. */
  refuseHookUrl(url: string): string | undefined;
}
