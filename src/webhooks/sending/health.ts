import { newOrderedId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/times.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { HookRow } from '../../database/tables/index.ts';
import { cancelWaiting } from '../deliveries/clearing.ts';

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

/** Records a failure, and at the limit disables the webhook (with an audit entry). @returns the reason if it did */
export async function recordFailure(
  store: TenantStore,
  hookId: string,
  { isGone, now }: { isGone: boolean; now: number },
): Promise<string | undefined> {
  return store.transaction(async (store) => {
    const hook: HookRow | undefined = await store.from('hooks').where({ id: hookId }).forNoKeyUpdate().first();
    if (!hook?.enabled) return undefined;
    const failingSince = hook.failingSince ?? now;
    const goneCount = hook.goneCount + (isGone ? 1 : 0);
    const reason = disabledReason({ failingSince, lastFailureAt: hook.lastFailureAt, goneCount }, now);
    const disabled = reason === undefined ? {} : { enabled: false, disabledReason: reason };
    await store.change('hooks', { id: hookId }, { failingSince, lastFailureAt: now, goneCount, ...disabled });
    if (reason === undefined) return undefined;

    await cancelWaiting(store, hook);
    const payload = { hookId, reason };
    await store.add('auditLog', [
      { id: newOrderedId(now), key: 'Hook.Disabled', result: 'Success', payload, createdAt: now },
    ]);
    return reason;
  });
}

/** Clears the failures recorded on the webhook's row, after a success. */
export async function recordRecovery(store: TenantStore, hookId: string): Promise<void> {
  const healthy = { failingSince: null, lastFailureAt: null, goneCount: 0 };
  await store.change('hooks', { id: hookId }, healthy);
}
