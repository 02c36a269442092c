import { setTimeout as pause } from 'node:timers/promises';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import { gauge, gaugeBy, type Registry } from '../../observe/metrics.ts';
import type { Backlog } from '../deliveries/backlog.ts';
import type { PollerDependencies, WebhookPoller } from './poller.ts';

/** Longest wait for the database. A scrape that takes longer would time out and lose all metrics. */
const TIMEOUT_MS = 1_000;

/**
 * Registers the gauges. No label contains a URL or webhook: they are too many, and URLs are confidential.
 *
 * @param backlog of all processes on this database
 */
export function webhookGauges(
  registry: Registry,
  stats: () => ReturnType<WebhookPoller['stats']>,
  backlog: () => Promise<Backlog>,
  clock: Clock,
): void {
  const registers = [registry];
  /** Resolves with undefined if the database does not respond. Then only the backlog metrics are missing. */
  let pending: Promise<Backlog | undefined> | undefined;
  const readBacklog = () => {
    pending ??= backlog()
      .catch(() => undefined)
      .finally(() => {
        pending = undefined;
      });
    return Promise.race([pending, pause(TIMEOUT_MS, undefined, { ref: false })]);
  };
  const backlogGauge = (name: string, help: string, figure: (backlog: Backlog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const current = await readBacklog();
        if (current) this.set(figure(current));
        else this.remove();
      },
    });

  backlogGauge('understudy_webhook_deliveries_due', 'Deliveries that are due and not yet claimed', ({ due }) => due);
  backlogGauge(
    'understudy_webhook_oldest_due_age_seconds',
    'Age of the delivery that has been due longest; 0 if none is due. Alert on this.',
    ({ oldestDueAt }) => (oldestDueAt === undefined ? 0 : (clock() - oldestDueAt) / 1000),
  );
  backlogGauge(
    'understudy_webhook_deliveries_dead',
    'Deliveries that failed permanently in the last 30 days',
    ({ dead }) => dead,
  );
  gauge(registry, 'understudy_webhook_in_flight', 'Attempts in flight in this process', () => stats().inFlight);
  gauge(
    registry,
    'understudy_webhook_queued',
    'Deliveries claimed by this process and not yet in flight',
    () => stats().queued,
  );
  gaugeBy(
    registry,
    'understudy_webhook_breakers',
    'Webhooks in this process, by circuit breaker state',
    'state',
    () => stats().breakers,
  );
}

/** Registers the metrics that the poller reports. */
export function webhookMetrics(registry: Registry): Pick<PollerDependencies, 'onAttempt' | 'onLeasesExpired'> {
  const registers = [registry];
  const attempts = new Counter({
    name: 'understudy_webhook_attempts_total',
    help: 'Attempts by result: success, or the error class',
    labelNames: ['result'] as const,
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'understudy_webhook_attempt_seconds',
    help: 'From the DNS lookup to the last byte of the response',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30],
    registers,
  });
  const waitedSeconds = new Histogram({
    name: 'understudy_webhook_first_attempt_delay_seconds',
    help: 'From the event to the start of the first attempt',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
    registers,
  });
  const expired = new Counter({
    name: 'understudy_webhook_leases_expired_total',
    help: 'Deliveries whose lease expired because a process died or hung',
    registers,
  });
  return {
    onAttempt({ outcome, waitedMs }) {
      attempts.inc({ result: outcome.error ?? 'success' });
      attemptSeconds.observe(outcome.durationMs / 1000);
      if (waitedMs !== undefined) waitedSeconds.observe(waitedMs / 1000);
    },
    onLeasesExpired: (deliveries) => expired.inc(deliveries),
  };
}
