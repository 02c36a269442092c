import { setTimeout as pause } from 'node:timers/promises';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import { gauge, gaugeBy, type Registry } from '../../observe/metrics.ts';
import type { Backlog } from '../deliveries/backlog.ts';
import type { PollerParts, WebhookPoller } from './poller.ts';

/** For the database: a scrape that waits longer is lost, with all that it would have told. */
const PATIENCE_MS = 1_000;

export interface WebhookMetricsParts {
  stats: () => ReturnType<WebhookPoller['stats']>;
  /** Of all processes on this database. */
  backlog: () => Promise<Backlog>;
  clock: Clock;
}

/** Never a URL or a hook as label: receivers come and go, and their addresses are the tenants' own. */
export function webhookMetrics(
  registry: Registry,
  { stats, backlog, clock }: WebhookMetricsParts,
): Pick<PollerParts, 'onAttempt' | 'onLeasesExpired'> {
  const registers = [registry];
  /** Undefined while the database does not answer: the figures are then absent, and those of the process are not. */
  let asked: Promise<Backlog | undefined> | undefined;
  const read = () => {
    asked ??= backlog()
      .catch(() => undefined)
      .finally(() => {
        asked = undefined;
      });
    return Promise.race([asked, pause(PATIENCE_MS, undefined, { ref: false })]);
  };
  const ofBacklog = (name: string, help: string, figure: (backlog: Backlog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const seen = await read();
        if (seen) this.set(figure(seen));
        else this.remove();
      },
    });

  ofBacklog('understudy_webhook_deliveries_due', 'Deliveries that wait although they are due', ({ due }) => due);
  ofBacklog(
    'understudy_webhook_oldest_due_age_seconds',
    'How long the longest of them has been due: the alarm; 0 when none is',
    ({ oldestDueAt }) => (oldestDueAt === undefined ? 0 : (clock() - oldestDueAt) / 1000),
  );
  ofBacklog('understudy_webhook_deliveries_dead', 'Deliveries whose schedule ended, kept 30 days', ({ dead }) => dead);
  gauge(registry, 'understudy_webhook_in_flight', 'Attempts under way in this process', () => stats().inFlight);
  gauge(
    registry,
    'understudy_webhook_queued',
    'Deliveries claimed by this process, not under way yet',
    () => stats().queued,
  );
  gaugeBy(
    registry,
    'understudy_webhook_breakers',
    'Webhooks that this process knows, by the state of their breaker',
    'state',
    () => stats().breakers,
  );

  const attempts = new Counter({
    name: 'understudy_webhook_attempts_total',
    help: 'Attempts by result: success, or the class of the error',
    labelNames: ['result'] as const,
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'understudy_webhook_attempt_seconds',
    help: 'From DNS to the last byte of the answer',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30],
    registers,
  });
  const waitedSeconds = new Histogram({
    name: 'understudy_webhook_first_attempt_delay_seconds',
    help: 'From the event to the beginning of the first attempt',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
    registers,
  });
  const expired = new Counter({
    name: 'understudy_webhook_leases_expired_total',
    help: 'Deliveries that a process had taken and did not settle in time: it died, or hung',
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
