import type { Query, TenantStore } from '../../database/store/tenant-store.ts';
import type { DeliveryRow, HookRow } from '../../database/tables/index.ts';

/** A delivered delivery has no row, only its attempts. */
export type DeliveryState = DeliveryRow['state'] | 'delivered';

/** The states of a delivery and what may follow each. See docs/states.md. */
const DELIVERY_TRANSITIONS = {
  /** Due now or later: for its first attempt, or for a retry. */
  waiting: ['delivering', 'cancelled'],
  /** Leased by a process. If the lease expires, another process may claim it. */
  delivering: ['delivering', 'delivered', 'waiting', 'dead', 'cancelled'],
  delivered: [],
  /** Failed permanently. */
  dead: [],
  cancelled: [],
} as const satisfies Record<DeliveryState, readonly DeliveryState[]>;

/** The states in which a process can settle a delivery that it claimed. */
export type SettledState = Exclude<(typeof DELIVERY_TRANSITIONS)['delivering'][number], 'delivering'>;

/** True for a delivery that was waiting when its webhook was disabled: it is cancelled, but its row not yet updated. */
export const IS_WITHDRAWN = `deliveries.state = 'waiting' and deliveries.times_disabled < hooks.times_disabled`;

/** True if a claimed delivery must not be sent because its webhook is or was disabled. */
export const isCancelled = (row: {
  timesDisabled: number;
  hook: Pick<HookRow, 'enabled' | 'timesDisabled'>;
}): boolean => !row.hook.enabled || row.timesDisabled < row.hook.timesDisabled;

/** Query for the deliveries of a webhook, joined with it, in one state or in any. Delivered ones have no row. */
export function rowsInState(store: TenantStore, hookId: string, state?: DeliveryState): Query {
  const query: Query = store
    .from('deliveries')
    .join(store.rows('hooks'), 'hooks.id', 'deliveries.hookId')
    .where('deliveries.hookId', hookId);
  if (state === undefined) return query;
  if (state === 'cancelled') return query.where((either) => either.where({ state }).orWhereRaw(IS_WITHDRAWN));
  query.where({ state });
  if (state === 'waiting') query.whereRaw('deliveries.times_disabled >= hooks.times_disabled');
  // Redundant, but needed to use the partial index on `due_at`: no index contains the state.
  if (state === 'waiting' || state === 'delivering') query.whereNotNull('dueAt');
  return query;
}
