import { Counter } from 'prom-client';
import { databaseMetrics } from '../database/metrics.ts';
import { counterBy, createRegistry } from '../observe/metrics.ts';
import { scriptMetrics } from '../script-runners/metrics.ts';
import type { SignInObserver } from '../sign-in/interaction/flow.ts';
import { tokenMetrics } from '../tokens/endpoint/metrics.ts';
import { webhookMetrics } from '../webhooks/sending/metrics.ts';

/** The observers that parts report metrics to. They only exist with `METRICS_PORT` and cost nothing otherwise. */
export function serviceMetrics() {
  const registry = createRegistry();
  const signIns = new Counter({
    name: 'understudy_sign_in_outcomes_total',
    help: 'Completed sign-in interactions and refused steps of users, by error code',
    labelNames: ['event', 'outcome'] as const,
    registers: [registry],
  });
  const onSignIn: SignInObserver = (event, outcome) => signIns.inc({ event, outcome });
  return {
    registry,
    database: databaseMetrics(registry),
    sandbox: scriptMetrics(registry),
    tokens: tokenMetrics(registry),
    webhooks: webhookMetrics(registry),
    onSignIn,
    onLimited: counterBy(
      registry,
      'understudy_rate_limited_total',
      'Requests refused by a rate limit, by limit',
      'limit',
    ),
    onShed: counterBy(registry, 'understudy_http_shed_total', 'Requests refused under overload, by reason', 'reason'),
  };
}
