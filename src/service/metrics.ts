import { Counter } from 'prom-client';
import { type DatabaseMetrics, databaseMetrics } from '../database/metrics.ts';
import { counterBy, createRegistry, type Registry } from '../observe/metrics.ts';
import { scriptMetrics } from '../script-runners/metrics.ts';
import type { Sandbox } from '../script-runners/sandbox.ts';
import type { SandboxObserver } from '../script-runners/types.ts';
import type { SignInObserver } from '../sign-in/interaction/flow.ts';
import { type ObserveToken, tokenMetrics } from '../tokens/endpoint/metrics.ts';

/** The observers that parts report metrics to. They only exist with `METRICS_PORT` and cost nothing otherwise. */
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
    help: 'Completed sign-in interactions and refused steps of users, by error code',
    labelNames: ['event', 'outcome'] as const,
    registers: [registry],
  });
  return {
    registry,
    database: databaseMetrics(registry),
    sandbox: scriptMetrics(registry, sandboxStatus),
    tokens: tokenMetrics(registry),
    onLimited: counterBy(
      registry,
      'understudy_rate_limited_total',
      'Requests refused by a rate limit, by limit',
      'limit',
    ),
    onShed: counterBy(registry, 'understudy_http_shed_total', 'Requests refused under overload, by reason', 'reason'),
    onSignIn: (event, outcome) => signIns.inc({ event, outcome }),
  };
}
