/** Why a script does not compile or is no claims script. `line` and `column` are 1-based. */
export interface ScriptFault {
  message: string;
  line?: number;
  column?: number;
}

/** The result of a test run of a script. */
export interface ScriptTestResult {
  result: string;
  /** The returned value, if the result is `ok`. */
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
  /** The exact bodies to send, one per event. */
  events: { id: string; type: string; body: string }[];
}

/** An attempt to deliver a test event. */
export interface HookTestAttempt {
  event: string;
  durationMs: number;
  /** Absent if there was no complete response. */
  status?: number;
  /** The beginning of the response body. */
  responseBody?: string;
  /** Why the endpoint did not accept the event. */
  error?: string;
}

/** Slow work for `prepare`. Declared here so that operations do not depend on the implementations. */
export interface Services {
  /** The operator's limits of one run. */
  scriptLimits: { timeoutMs: number; memoryMb: number };
  hashPassword(tenantId: string, password: string): Promise<string>;
  verifyPassword(tenantId: string, digest: string, password: string): Promise<boolean>;
  /** Resolves to undefined if the script compiles and defines `getCustomJwtClaims`. */
  compileScript(tenantId: string, script: string): Promise<ScriptFault | undefined>;
  /** `limits` are the tenant's own, if they are lower than the operator's. */
  runScript(
    tenantId: string,
    script: string,
    input: Record<string, unknown>,
    limits: { timeoutMs?: number; memoryMb?: number },
  ): Promise<ScriptTestResult>;
  /** Sends the events in order, up to the first one that the endpoint does not accept. */
  sendHookTest(test: HookTest): Promise<HookTestAttempt[]>;
  /** Returns why a webhook must not use this URL, or undefined if it may. */
  refuseHookUrl(url: string): string | undefined;
}
