import { newOrderedId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/times.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { HookRow } from '../../database/tables/index.ts';
import { cancelWaiting } from '../deliveries/clearing.ts';
import { isGone } from '../deliveries/settlement.ts';
import type { AttemptOutcome } from './deliver.ts';

/** A webhook is disabled when every attempt for this long has failed. */
const FAILING_LIMIT_MS = 5 * 24 * HOUR_MS;
/** Minimum time between the first and the last of those failures: a single outage and then no events is not enough. */
const FAILING_SPAN_MS = 12 * HOUR_MS;
/** 410 responses, without a success in between, that disable a webhook. */
const GONE_LIMIT = 2;

type Health = Pick<HookRow, 'failingSince' | 'lastFailureAt' | 'goneCount'>;

/** Returns why a webhook that fails again at `now` must be disabled, or undefined if it need not be. */
export function disabledReason({ failingSince, lastFailureAt, goneCount }: Health, now: number): string | undefined {
  if (goneCount >= GONE_LIMIT) return 'The endpoint responded 410 Gone twice.';
  if (failingSince === null || lastFailureAt === null) return undefined;
  if (now - failingSince < FAILING_LIMIT_MS || lastFailureAt - failingSince < FAILING_SPAN_MS) return undefined;
  return `Every attempt since ${new Date(failingSince).toISOString()} failed.`;
}

interface Failures {
  /** The last one. */
  outcome: AttemptOutcome;
  /** Failures since the last record of this process. */
  count: number;
  /** The end of this process's pause. */
  pausedUntil: number | undefined;
  now: number;
}

/** Returns when the first process tries again, if the webhook's row has a pause of another one. */
const earliestEnd = (stored: number | null, own: number, now: number): number =>
  stored !== null && stored > now ? Math.min(stored, own) : own;

/** Records failures, and at the limit disables the webhook (with an audit entry). @returns the reason if it did */
export async function recordFailure(
  store: TenantStore,
  hookId: string,
  { outcome, count, pausedUntil, now }: Failures,
): Promise<string | undefined> {
  return store.transaction(async (store) => {
    const hook: HookRow | undefined = await store.from('hooks').where({ id: hookId }).forNoKeyUpdate().first();
    if (!hook?.enabled) return undefined;
    const failingSince = hook.failingSince ?? now;
    const goneCount = hook.goneCount + (isGone(outcome) ? 1 : 0);
    const reason = disabledReason({ failingSince, lastFailureAt: hook.lastFailureAt, goneCount }, now);
    const disabled = reason === undefined ? {} : { enabled: false, disabledReason: reason };
    await store.change(
      'hooks',
      { id: hookId },
      {
        failingSince,
        lastFailureAt: now,
        failuresInARow: hook.failuresInARow + count,
        lastFailureStatus: outcome.status ?? null,
        lastFailureError: outcome.error ?? null,
        goneCount,
        ...(pausedUntil !== undefined && { pausedUntil: earliestEnd(hook.pausedUntil, pausedUntil, now) }),
        ...disabled,
      },
    );
    if (reason === undefined) return undefined;

    await cancelWaiting(store, hook);
    const payload = { hookId, reason };
    await store.add('auditLog', [
      { id: newOrderedId(now), key: 'Hook.Disabled', result: 'Success', payload, createdAt: now },
    ]);
    return reason;
  });
}

/** The columns of a webhook without failures. */
export const HEALTHY = {
  failingSince: null,
  lastFailureAt: null,
  failuresInARow: 0,
  lastFailureStatus: null,
  lastFailureError: null,
  pausedUntil: null,
  goneCount: 0,
} as const;

/** Clears the failures recorded on the webhook's row, after a success. */
export async function recordRecovery(store: TenantStore, hookId: string): Promise<void> {
  await store.change('hooks', { id: hookId }, HEALTHY);
}
