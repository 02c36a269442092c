import type { Clock } from '../../base/clock.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { MINUTE_MS } from '../../base/times.ts';
import type { Counts } from '../../database/statistics/figures.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Logger } from '../../observe/logger.ts';
import type { ClaimedDelivery } from '../deliveries/claim.ts';
import type { Settlement } from '../deliveries/settle.ts';
import { isGone, released, settlementOf } from '../deliveries/settlement.ts';
import type { Settler } from '../deliveries/settler.ts';
import { KeyRing } from '../signatures/signing-keys.ts';
import { type AttemptOutcome, deliver } from './deliver.ts';
import { recordFailure, recordRecovery } from './health.ts';
import { openConfig } from './hook-headers.ts';
import type { HookQueue, HookQueues } from './hook-queues.ts';

/** Failures are recorded on the webhook's row at most once per this time, and when a pause starts. */
const FAILURE_RECORD_MS = MINUTE_MS;

const FIGURE_OF: Record<Settlement['state'], Counts> = {
  delivered: { deliveriesDelivered: 1 },
  waiting: { deliveriesRetried: 1 },
  dead: { deliveriesDead: 1 },
  cancelled: {},
};

/** The outcome of an attempt, for metrics. `waitedMs`: time since the delivery was created; only for first attempts. */
interface AttemptReport {
  outcome: AttemptOutcome;
  waitedMs: number | undefined;
}

export interface SenderDependencies {
  storeOf: (tenantId: string) => TenantStore;
  client: Pick<HttpClient, 'request'>;
  secrets: SecretBox;
  logger: Logger;
  clock: Clock;
  settings: { timeoutMs: number; maxResponseBytes: number };
  schedule: number[];
  settler: Settler;
  queues: HookQueues;
  /** For metrics. */
  onAttempt?: ((report: AttemptReport) => void) | undefined;
}

/** Makes attempts, then settles the delivery and updates the webhook's circuit breaker and its row. */
export class DeliverySender {
  readonly #dependencies: SenderDependencies;
  readonly #keys: KeyRing;

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
    this.#keys = new KeyRing(dependencies.secrets);
  }

  /** Never throws. */
  async send(queue: HookQueue, row: ClaimedDelivery): Promise<void> {
    const { storeOf, clock, schedule, settler, logger, onAttempt } = this.#dependencies;
    const outcome = await this.#deliver(row);
    const now = clock();
    const settlement = settlementOf(row, outcome, { schedule, now });
    settler.add(settlement);
    const store = storeOf(row.tenantId);
    store.count(now, FIGURE_OF[settlement.state]);
    onAttempt?.({ outcome, waitedMs: row.attempts === 0 ? outcome.startedAt - row.createdAt : undefined });
    try {
      if (outcome.error) await this.#recordFailure(store, queue, outcome, now);
      else if (this.#recordSuccess(queue, row)) await recordRecovery(store, row.hookId);
    } catch (error) {
      logger.error({ err: error, hookId: row.hookId }, 'Could not record the health of a webhook');
    }
  }

  async #deliver(row: ClaimedDelivery): Promise<AttemptOutcome> {
    const { client, clock, settings, logger, secrets } = this.#dependencies;
    const { hook, hookId, eventId, body } = row;
    const startedAt = clock();
    try {
      const keys = this.#keys.keysOf(hook, startedAt);
      const { url, headers = {} } = openConfig(secrets, hook);
      const target = { hookId, url, headers, keys };
      const limits = { deadlineMs: settings.timeoutMs, maxResponseBytes: settings.maxResponseBytes };
      return await deliver(client, target, { id: eventId, body }, limits, clock);
    } catch (error) {
      logger.error({ err: error, hookId, deliveryId: row.id }, 'Webhook attempt failed with an internal error');
      return {
        startedAt,
        durationMs: 0,
        error: 'internal',
        message: 'The attempt failed because of an internal error.',
      };
    }
  }

  /** Records a success with the breaker. Returns true if the webhook's row still contains failures to clear. */
  #recordSuccess(queue: HookQueue, { hook }: ClaimedDelivery): boolean {
    queue.breaker.succeeded();
    if (hook.failingSince === null && hook.goneCount === 0 && queue.failureRecordedAt === undefined) return false;
    queue.failureRecordedAt = undefined;
    queue.unrecordedFailures = 0;
    return true;
  }

  async #recordFailure(store: TenantStore, queue: HookQueue, outcome: AttemptOutcome, now: number): Promise<void> {
    const { queues, settler, logger } = this.#dependencies;
    const isTimeout = outcome.error === 'timeout';
    const isPausing = queue.breaker.failed({ startedAt: outcome.startedAt, now, isTimeout });
    const pausedUntil = queue.breaker.pausedUntil(now);
    if (pausedUntil !== undefined) for (const row of queues.releaseRows([queue])) settler.add(released(row));

    queue.unrecordedFailures += 1;
    const wasRecorded = queue.failureRecordedAt !== undefined && now - queue.failureRecordedAt < FAILURE_RECORD_MS;
    if (wasRecorded && !isPausing && !isGone(outcome)) return;
    const count = queue.unrecordedFailures;
    [queue.failureRecordedAt, queue.unrecordedFailures] = [now, 0];
    const reason = await recordFailure(store, queue.hookId, { outcome, count, pausedUntil, now });
    if (reason) logger.warn({ tenantId: queue.tenantId, hookId: queue.hookId, reason }, 'Webhook disabled');
  }
}
