import type { TenantStore } from '../../database/store/tenant-store.ts';
import { rowsInState } from './state.ts';

/** Retries that are brought forward, few enough that other writes do not wait. */
const MAX_BROUGHT_FORWARD = 1_000;

/**
 * Ends the pause of a webhook in every process and makes its earliest retries due now. The breakers still let only a few
 * attempts through until one succeeds, so that the others use up no attempt.
 *
 * @throws 404 `entity.not_exists`
 */
export async function resumeHook(store: TenantStore, hookId: string, now: number): Promise<void> {
  await store.update('hooks', { id: hookId }, { resumedAt: now, pausedUntil: null });
  const ids: string[] = await rowsInState(store, hookId, 'waiting')
    .where('dueAt', '>', now)
    .orderBy('dueAt')
    .limit(MAX_BROUGHT_FORWARD)
    .pluck('deliveries.id');
  if (ids.length === 0) return;
  await store.changeWhere('deliveries', (query) => query.whereIn('id', ids).where({ state: 'waiting' }), {
    dueAt: now,
  });
}
