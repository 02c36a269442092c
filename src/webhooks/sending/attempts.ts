import type { Clock } from '../../base/clock.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Database } from '../../database/database.ts';
import type { Counts } from '../../database/statistics/figures.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Logger } from '../../observe/logger.ts';
import { givenBack, isGone, settlementOf } from '../deliveries/settlement.ts';
import type { Settler } from '../deliveries/settler.ts';
import type { ClaimedDelivery, Settlement } from '../deliveries/statements.ts';
import { KeyRing } from '../signatures/signing-keys.ts';
import { type AttemptOutcome, deliver } from './deliver.ts';
import { recordFailure, recordRecovery } from './health.ts';
import { openConfig } from './hook-headers.ts';
import type { Lane, Lanes } from './hook-queues.ts';

/** A hook's row learns of its failures no more often. */
const FAILURE_RECORD_MS = 60_000;

const FIGURE_OF: Record<Settlement['state'], Counts> = {
  delivered: { deliveriesDelivered: 1 },
  waiting: { deliveriesRetried: 1 },
  dead: { deliveriesDead: 1 },
  cancelled: {},
};

/** What was seen of an attempt. `waitedMs`: since the commit of its event, for first attempts. */
export interface AttemptSeen {
  outcome: AttemptOutcome;
  waitedMs: number | undefined;
}

interface Parts {
  database: Database;
  client: Pick<HttpClient, 'request'>;
  secrets: SecretBox;
  logger: Logger;
  clock: Clock;
  settings: { timeoutMs: number; maxResponseBytes: number };
  schedule: number[];
  settler: Settler;
  lanes: Lanes;
  onAttempt?: ((seen: AttemptSeen) => void) | undefined;
}

/** Makes attempts and draws the conclusions: for the delivery, for the hook's breaker, for the hook's row. */
export class Attempts {
  readonly #parts: Parts;
  readonly #keys: KeyRing;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#keys = new KeyRing(parts.secrets);
  }

  /** Never throws. */
  async make(lane: Lane, row: ClaimedDelivery): Promise<void> {
    const { database, clock, schedule, settler, logger, onAttempt } = this.#parts;
    const outcome = await this.#deliver(row);
    const now = clock();
    const settlement = settlementOf(row, outcome, { schedule, now });
    settler.add(settlement);
    database.figures.add(row.tenantId, now, FIGURE_OF[settlement.state]);
    onAttempt?.({ outcome, waitedMs: row.attempts === 0 ? outcome.startedAt - row.createdAt : undefined });
    try {
      if (outcome.error) await this.#learnFailure(lane, outcome, now);
      else if (this.#isRecovery(lane, row)) await recordRecovery(this.#parts.database, lane);
    } catch (error) {
      logger.error({ err: error, hookId: row.hookId }, 'the state of a webhook could not be recorded');
    }
  }

  async #deliver(row: ClaimedDelivery): Promise<AttemptOutcome> {
    const { client, clock, settings, logger, secrets } = this.#parts;
    const { hook, hookId, eventId, body } = row;
    const startedAt = clock();
    try {
      const keys = this.#keys.keysOf(hook, startedAt);
      const { url, headers = {} } = openConfig(secrets, hook);
      const target = { hookId, url, headers, keys };
      const limits = { deadlineMs: settings.timeoutMs, maxResponseBytes: settings.maxResponseBytes };
      return await deliver(client, target, { id: eventId, body }, limits, clock);
    } catch (error) {
      logger.error({ err: error, hookId, deliveryId: row.id }, 'a webhook attempt could not be made');
      return { startedAt, durationMs: 0, error: 'internal', message: 'The attempt could not be made.' };
    }
  }

  /** Learns of a success, and whether the hook's row still speaks of failures. */
  #isRecovery(lane: Lane, { hook }: ClaimedDelivery): boolean {
    lane.breaker.succeeded();
    if (hook.failingSince === null && hook.goneCount === 0 && lane.failureRecordedAt === undefined) return false;
    lane.failureRecordedAt = undefined;
    return true;
  }

  async #learnFailure(lane: Lane, outcome: AttemptOutcome, now: number): Promise<void> {
    const { database, lanes, settler, logger } = this.#parts;
    lane.breaker.failed({ startedAt: outcome.startedAt, now, isTimeout: outcome.error === 'timeout' });
    if (lane.breaker.room(now) === 0) for (const row of lanes.takeBack([lane])) settler.add(givenBack(row));

    const wasRecorded = lane.failureRecordedAt !== undefined && now - lane.failureRecordedAt < FAILURE_RECORD_MS;
    if (wasRecorded && !isGone(outcome)) return;
    lane.failureRecordedAt = now;
    const reason = await recordFailure(database, lane, { isGone: isGone(outcome), now });
    if (reason) logger.warn({ tenantId: lane.tenantId, hookId: lane.hookId, reason }, 'a webhook was disabled');
  }
}
