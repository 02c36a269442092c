import type { AttemptOutcome } from '../sending/deliver.ts';
import { nextAttemptAt } from '../sending/retry-schedule.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { SettledAttempt, Settlement } from './settle.ts';

const GONE = 410;

export const isGone = ({ status }: AttemptOutcome): boolean => status === GONE;

/** True if a retry is pointless: the endpoint responded 410 Gone, or the request is not allowed. */
const isPermanent = (outcome: AttemptOutcome): boolean =>
  isGone(outcome) || outcome.error === 'blocked' || outcome.error === 'invalid_request';

/** Returns how an attempt's outcome settles its delivery. `schedule`: seconds before each attempt. */
export function settlementOf(
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
  { schedule, now }: { schedule: number[]; now: number },
): Settlement {
  const { tenantId, id, hookId, attempts, hook } = delivery;
  const settled = { tenantId, id, hookId, attempt: attemptOf(delivery, outcome) };
  if (!outcome.error) return { ...settled, state: 'delivered' };
  const dueAt = isPermanent(outcome)
    ? undefined
    : nextAttemptAt({
        schedule: hook.config.retries === 0 ? schedule.slice(0, 1) : schedule,
        attempts: attempts + 1,
        now,
        retryAfter: outcome.retryAfter,
      });
  return dueAt === undefined ? { ...settled, state: 'dead' } : { ...settled, state: 'waiting', dueAt };
}

/** Releases a claimed delivery without an attempt. */
export function released({ tenantId, id, hookId }: ClaimedDelivery): Settlement {
  return { tenantId, id, hookId, state: 'waiting' };
}

/** Cancels a claimed delivery because its webhook was disabled. */
export function cancelled({ tenantId, id, hookId }: ClaimedDelivery): Settlement {
  return { tenantId, id, hookId, state: 'cancelled' };
}

const attemptOf = (
  { eventType }: ClaimedDelivery,
  { startedAt, durationMs, status, error, message, responseBody }: AttemptOutcome,
): SettledAttempt => ({
  eventType,
  startedAt,
  durationMs,
  status: status ?? null,
  errorClass: error ?? null,
  errorMessage: message ?? null,
  responseBody: responseBody ?? null,
});
