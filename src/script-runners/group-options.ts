import type { FetchBroker } from './fetch-broker.ts';
import type { SandboxLimits } from './limits.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import type { Runner } from './runner/runner.ts';
import type { SandboxLogger, ScriptVersion } from './types.ts';

export interface RunnerGroupListener {
  /** This script ended a runner. */
  runnerKilled(script: ScriptVersion): void;
  /** A runner ended, with or without a cause. */
  runnerEnded(): void;
  /** A run of this tenant keeps computing while other tenants wait. Absent if the group has nowhere to move it. */
  runnerHeld?(runner: Runner, tenantId: string): void;
}

export interface RunnerGroupOptions {
  name: string;
  /** Runners that execute at the same time. */
  size: number;
  /** Runners kept ready in addition, so that the next run does not have to wait when one ends. */
  standby: number;
  spawn: () => Promise<RunnerProcess>;
  listener: RunnerGroupListener;
  limits: SandboxLimits;
  broker: FetchBroker | undefined;
  logger: SandboxLogger;
}
