import type { Query, TenantStore } from '../../database/store/tenant-store.ts';
import type { DeliveryRow, HookRow } from '../../database/tables/index.ts';

export type DeliveryState = DeliveryRow['state'] | 'delivered';

/** It waited when its hook was disabled: cancelled, though its row does not say so yet. */
export const WITHDRAWN = `deliveries.state = 'waiting' and deliveries.times_disabled < hooks.times_disabled`;

/** Of a row that was claimed together with its hook: it is not to be sent. */
export const isCancelled = (row: {
  timesDisabled: number;
  hook: Pick<HookRow, 'enabled' | 'timesDisabled'>;
}): boolean => !row.hook.enabled || row.timesDisabled < row.hook.timesDisabled;

/** Deliveries of a hook, beside it, that are in this state or in any. Delivered ones have no row. */
export function rowsInState(store: TenantStore, hookId: string, state?: DeliveryState): Query {
  const query: Query = store
    .from('deliveries')
    .join(store.rows('hooks'), 'hooks.id', 'deliveries.hookId')
    .where('deliveries.hookId', hookId);
  if (state === undefined) return query;
  if (state === 'cancelled') return query.where((either) => either.where({ state }).orWhereRaw(WITHDRAWN));
  query.where({ state });
  if (state === 'waiting') query.whereRaw('deliveries.times_disabled >= hooks.times_disabled');
  // Said again, as the index of open deliveries is found by it: no index holds a state.
  if (state === 'waiting' || state === 'delivering') query.whereNotNull('dueAt');
  return query;
}
