import { newId, newOrderedId } from '../../base/ids.ts';
import type { Query, Rows, TenantStore } from '../../database/store/tenant-store.ts';
import type { DeliveryRow, HookRow, ReplayRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { rowsInState } from '../deliveries/state.ts';

type ReplayFilter = ReplayRow['filter'];

/**
 * `until` defaults to now, and is capped at now: a replay does not include events of the future. `events` default to
 * those that the webhook subscribes to.
 */
export type ReplayRequest = Pick<ReplayFilter, 'since'> & Partial<ReplayFilter>;

export interface StartedReplay {
  id: string;
  count: number;
}

/** Returns a webhook to create deliveries for, locked so that it cannot be deleted before this transaction ends. */
export async function lockHookForDelivery(store: TenantStore, id: string): Promise<HookRow | undefined> {
  return store.from('hooks').where({ id }).forKeyShare().first();
}

/** Returns the row of a new delivery of an existing event, due at once. */
export function newDelivery(
  eventId: string,
  { id: hookId, timesDisabled }: HookRow,
  trigger: DeliveryRow['trigger'],
  now: number,
): Omit<DeliveryRow, 'tenantId' | 'leaseUntil' | 'leaseOwner' | 'lastStatus'> {
  const row = { id: newOrderedId(now), eventId, hookId, state: 'waiting' as const, dueAt: now, attempts: 0 };
  return { ...row, trigger, timesDisabled, createdAt: now };
}

/**
 * Sends the event of a delivery again, regardless of its state, as a new delivery whose id it returns.
 *
 * @throws 404 `entity.not_exists_with_id` if the delivery is unknown or its event was deleted
 */
export async function redeliver(
  store: TenantStore,
  { hookId, deliveryId, now }: { hookId: string; deliveryId: string; now: number },
): Promise<StartedReplay> {
  const known =
    (await store.find('deliveries', { id: deliveryId, hookId })) ??
    (await store.find('attempts', { deliveryId, hookId }));
  const hook = known && (await lockHookForDelivery(store, hookId));
  if (!hook) throw new ServiceError('entity.not_exists_with_id');
  await store.get('events', { id: known.eventId });
  const delivery = newDelivery(known.eventId, hook, 'manual', now);
  await store.add('deliveries', [delivery]);
  return { id: delivery.id, count: 1 };
}

/** Counts the events that a replay would send now. May read many rows, so call it outside a transaction. */
export async function countReplay(
  store: TenantStore,
  { hookId, ...request }: ReplayRequest & { hookId: string },
): Promise<number> {
  const filter = await filterOf(store, hookId, request, Number.MAX_SAFE_INTEGER);
  const [row] = await eventsToReplay(store, hookId, filter).count({ count: '*' });
  return Number(row?.count ?? 0);
}

/** Stores a replay with the given event count. `ReplayWorker` runs it in the background. */
export async function startReplay(
  store: TenantStore,
  { hookId, now, count, ...request }: ReplayRequest & { hookId: string; now: number; count: number },
): Promise<StartedReplay> {
  const filter = await filterOf(store, hookId, request, now);
  const id = newId();
  const progress = { cursor: null, count, done: 0, state: 'running' } as const;
  await store.add('replays', [{ id, hookId, filter, ...progress, createdAt: now }]);
  return { id, count };
}

export async function replayStatus(
  store: TenantStore,
  { hookId, replayId }: { hookId: string; replayId: string },
): Promise<Pick<ReplayRow, 'id' | 'count' | 'done' | 'state'>> {
  const { id, count, done, state } = await store.get('replays', { id: replayId, hookId });
  return { id, count, done, state };
}

/** Cancels a running replay. Deliveries it already created are still sent. Has no effect on a finished replay. */
export async function cancelReplay(
  store: TenantStore,
  { hookId, replayId }: { hookId: string; replayId: string },
): Promise<void> {
  const key = { id: replayId, hookId };
  if (!(await store.find('replays', key))) throw new ServiceError('entity.not_found');
  await store.change('replays', { ...key, state: 'running' }, { state: 'cancelled' });
}

/** Query for the events that match a filter, unordered. */
export function eventsToReplay(store: TenantStore, hookId: string, filter: ReplayFilter): Rows<'events'> {
  const { since, until, state, events } = filter;
  const query = store.from('events').whereBetween('occurredAt', [since, until]).whereIn('type', events);
  if (state === undefined) return query;
  const matching: Query =
    state === 'delivered'
      ? store.from('attempts').where({ hookId, isSuccess: true })
      : rowsInState(store, hookId, state);
  return query.whereIn('id', matching.select('eventId'));
}

async function filterOf(
  store: TenantStore,
  hookId: string,
  request: ReplayRequest,
  now: number,
): Promise<ReplayFilter> {
  const hook = await store.get('hooks', { id: hookId });
  const subscribed = hook.event === null ? hook.events : [...hook.events, hook.event];
  const { since, until = now, state, events = subscribed } = request;
  return { since, until: Math.min(until, now), state, events };
}
