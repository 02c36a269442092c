import { Counter } from 'prom-client';
import { type DatabaseMetrics, databaseMetrics } from '../database/metrics.ts';
import { counterBy, createRegistry, type Registry } from '../observe/metrics.ts';
import { scriptMetrics } from '../script-runners/metrics.ts';
import type { Sandbox } from '../script-runners/sandbox.ts';
import type { SandboxObserver } from '../script-runners/types.ts';
import type { SignInObserver } from '../sign-in/interaction/flow.ts';
import { type ObserveToken, tokenMetrics } from '../tokens/endpoint/metrics.ts';

/** What the parts tell of themselves when somebody reads it: each is absent without `METRICS_PORT`, and then costs nothing. */
export interface Observers {
  registry: Registry;
  database: DatabaseMetrics;
  sandbox: SandboxObserver;
  tokens: ObserveToken;
  /** The name of the limit. */
  onLimited(limit: string): void;
  /** The name of the reason. */
  onShed(reason: string): void;
  onSignIn: SignInObserver;
}

export function serviceMetrics(sandboxStatus: () => ReturnType<Sandbox['status']>): Observers {
  const registry = createRegistry();
  const signIns = new Counter({
    name: 'understudy_sign_in_outcomes_total',
    help: 'Of people: interactions that were completed, and steps that were refused, by the code of the refusal',
    labelNames: ['event', 'outcome'] as const,
    registers: [registry],
  });
  return {
    registry,
    database: databaseMetrics(registry),
    sandbox: scriptMetrics(registry, sandboxStatus),
    tokens: tokenMetrics(registry),
    onLimited: counterBy(registry, 'understudy_rate_limited_total', 'Refusals for a rate limit, by its name', 'limit'),
    onShed: counterBy(registry, 'understudy_http_shed_total', 'Requests refused under pressure, by reason', 'reason'),
    onSignIn: (event, outcome) => signIns.inc({ event, outcome }),
  };
}
