import { newId, newOrderedId } from '../../base/ids.ts';
import type { Query, Rows, TenantStore } from '../../database/store/tenant-store.ts';
import type { DeliveryRow, HookRow, ReplayRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { type DeliveryState, rowsInState } from '../deliveries/state.ts';

export interface ReplayRequest {
  /** Epoch milliseconds of the events, both ends included. */
  since: number;
  /** Now, unless given: a replay does not run after its own time. */
  until?: number | undefined;
  /** Only events of which this hook has a delivery in this state. Otherwise also events older than the hook. */
  state?: DeliveryState | undefined;
  /** Those the hook listens to, unless given. */
  events?: string[] | undefined;
}

export type ReplayFilter = ReplayRequest & { until: number; events: string[] };

export interface ReplayStarted {
  id: string;
  count: number;
}

/** A hook that is given deliveries now: it is not deleted before this transaction has ended. */
export async function hookToDeliverTo(store: TenantStore, id: string): Promise<HookRow | undefined> {
  return store.from('hooks').where({ id }).forKeyShare().first();
}

/** A delivery that is due at once, of an event that is already there. */
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
 * Sends the event of this delivery once more, whatever became of it: every call makes a new delivery.
 *
 * @returns the id of the new delivery
 * @throws 404 `entity.not_exists_with_id` when the delivery is unknown, or its event no longer kept
 */
export async function redeliver(
  store: TenantStore,
  { hookId, deliveryId, now }: { hookId: string; deliveryId: string; now: number },
): Promise<ReplayStarted> {
  const known =
    (await store.find('deliveries', { id: deliveryId, hookId })) ??
    (await store.find('attempts', { deliveryId, hookId }));
  const hook = known && (await hookToDeliverTo(store, hookId));
  if (!hook) throw new ServiceError('entity.not_exists_with_id');
  await store.get('events', { id: known.eventId });
  const delivery = newDelivery(known.eventId, hook, 'manual', now);
  await store.add('deliveries', [delivery]);
  return { id: delivery.id, count: 1 };
}

/** How many events a replay would send now. It may read many rows, so it is asked for outside a transaction. */
export async function countReplay(
  store: TenantStore,
  { hookId, ...request }: ReplayRequest & { hookId: string },
): Promise<number> {
  const filter = await filterOf(store, hookId, request, Number.MAX_SAFE_INTEGER);
  const [row] = await eventsToReplay(store, hookId, filter).count({ count: '*' });
  return Number(row?.count ?? 0);
}

/** Writes down what to replay, and how many events that was when it was counted; `ReplayWalk` does it in the background. */
export async function startReplay(
  store: TenantStore,
  { hookId, now, count, ...request }: ReplayRequest & { hookId: string; now: number; count: number },
): Promise<ReplayStarted> {
  const filter = await filterOf(store, hookId, request, now);
  const id = newId();
  const row = {
    id,
    hookId,
    filter: { ...filter },
    cursor: null,
    count,
    done: 0,
    state: 'running' as const,
    createdAt: now,
  };
  await store.add('replays', [row]);
  return { id, count };
}

export async function replayStatus(
  store: TenantStore,
  { hookId, replayId }: { hookId: string; replayId: string },
): Promise<Pick<ReplayRow, 'id' | 'count' | 'done' | 'state'>> {
  const { id, count, done, state } = await store.get('replays', { id: replayId, hookId });
  return { id, count, done, state };
}

/** What was already sent on its way stays so. Cancelling an ended replay changes nothing. */
export async function cancelReplay(
  store: TenantStore,
  { hookId, replayId }: { hookId: string; replayId: string },
): Promise<void> {
  const key = { id: replayId, hookId };
  if (!(await store.find('replays', key))) throw new ServiceError('entity.not_found');
  await store.change('replays', { ...key, state: 'running' }, { state: 'cancelled' });
}

/** The events a filter names, in no order. */
export function eventsToReplay(store: TenantStore, hookId: string, filter: ReplayFilter): Rows<'events'> {
  const { since, until, state, events } = filter;
  const query = store.from('events').whereBetween('occurredAt', [since, until]).whereIn('type', events);
  if (state === undefined) return query;
  const made: Query =
    state === 'delivered'
      ? store.from('attempts').where({ hookId, isSuccess: true })
      : rowsInState(store, hookId, state);
  return query.whereIn('id', made.select('eventId'));
}

async function filterOf(
  store: TenantStore,
  hookId: string,
  request: ReplayRequest,
  now: number,
): Promise<ReplayFilter> {
  const hook = await store.get('hooks', { id: hookId });
  const listened = hook.event === null ? hook.events : [...hook.events, hook.event];
  const { since, until = now, state, events = listened } = request;
  return { since, until: Math.min(until, now), state, events };
}
