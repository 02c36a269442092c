import { DAY_MS } from '../../base/times.ts';
import type { Condition, Query, TenantStore } from '../../database/store/tenant-store.ts';
import type { AttemptRow, DeliveryRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { bodyFor } from '../sending/deliver.ts';
import { type DeliveryState, IS_WITHDRAWN, rowsInState } from './state.ts';

const LOG_KEY_PREFIX = 'TriggerHook.';

interface PageRange {
  offset: number;
  limit: number;
}

/** One attempt, in the log format of the compatible API. */
export interface HookLog {
  tenantId: string;
  id: string;
  key: string;
  payload: Record<string, unknown>;
  createdAt: number;
}

/** Returns the attempts of a webhook, newest first; those of the last 24 hours unless a time is given. */
export async function recentLogs(
  store: TenantStore,
  hookId: string,
  filter: {
    logKey?: string | undefined;
    startTime?: number | undefined;
    endTime?: number | undefined;
    now: number;
  } & PageRange,
): Promise<{ rows: HookLog[]; total: number }> {
  const { logKey, startTime, endTime, now, offset, limit } = filter;
  const matching: Condition = (query) => {
    query.where({ hookId }).where('startedAt', '>=', startTime ?? (endTime ?? now) - DAY_MS);
    if (endTime !== undefined) query.where('startedAt', '<=', endTime);
    if (logKey !== undefined) query.where({ eventType: logKey.replace(LOG_KEY_PREFIX, '') });
  };
  const attempts: AttemptRow[] = await store
    .from('attempts')
    .where(matching)
    .orderBy([{ column: 'startedAt', order: 'desc' }, { column: 'deliveryId' }, { column: 'number' }])
    .offset(offset)
    .limit(limit);
  const bodies = await bodiesOf(store, attempts);
  const rows = attempts.map((attempt) => logOf(attempt, bodies.get(attempt.eventId)));
  return { rows, total: await countOf(store.from('attempts').where(matching)) };
}

async function bodiesOf(store: TenantStore, attempts: AttemptRow[]): Promise<Map<string, string>> {
  if (attempts.length === 0) return new Map();
  const ids = [...new Set(attempts.map(({ eventId }) => eventId))];
  const events = await store.from('events').whereIn('id', ids).select('id', 'body');
  return new Map(events.map(({ id, body }) => [id, body]));
}

function logOf(attempt: AttemptRow, eventBody: string | undefined): HookLog {
  const { tenantId, eventType, hookId, status, responseBody, errorMessage, isSuccess, startedAt } = attempt;
  const key = `${LOG_KEY_PREFIX}${eventType}`;
  const payload = {
    key,
    result: isSuccess ? 'Success' : 'Error',
    hookId,
    hookRequest: { body: eventBody && JSON.parse(bodyFor(hookId, eventBody)) },
    ...(status !== null && { response: { statusCode: status, body: parsed(responseBody) } }),
    ...(!isSuccess && { error: errorMessage ?? `The endpoint responded ${status}.` }),
  };
  return { tenantId, id: attemptIdOf(attempt), key, payload, createdAt: startedAt };
}

const attemptIdOf = ({ deliveryId, number }: AttemptRow) => `${deliveryId}-${number}`;

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return text;
  }
}

export interface ExecutionStats {
  successCount: number;
  requestCount: number;
}

/** Counts the attempts of the last 24 hours for each of these webhooks. */
export async function executionStats(
  store: TenantStore,
  hookIds: string[],
  now: number,
): Promise<Map<string, ExecutionStats>> {
  const counted = await store
    .from('attempts')
    .whereIn('hookId', hookIds)
    .where('startedAt', '>=', now - DAY_MS)
    .groupBy('hookId', 'isSuccess')
    .select('hookId', 'isSuccess')
    .count({ count: '*' });
  const stats = new Map(hookIds.map((id) => [id, { successCount: 0, requestCount: 0 }]));
  for (const { hookId, isSuccess, count } of counted as { hookId: string; isSuccess: boolean; count: number }[]) {
    const counts = stats.get(hookId) as ExecutionStats;
    counts.requestCount += Number(count);
    if (isSuccess) counts.successCount += Number(count);
  }
  return stats;
}

/** A delivery as the API returns it. If it was delivered, `createdAt` is the start of the successful attempt. */
export type DeliverySummary = Pick<
  DeliveryRow,
  'id' | 'eventId' | 'hookId' | 'attempts' | 'lastStatus' | 'trigger' | 'createdAt'
> & { state: DeliveryState; dueAt: number | null; event: string };

export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  event?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/** Returns a webhook's deliveries, newest first. Delivered ones have no row and are read from their last attempt. */
export async function listDeliveries(
  store: TenantStore,
  hookId: string,
  filter: DeliveryFilter & PageRange,
): Promise<{ rows: DeliverySummary[]; total: number }> {
  const { state, event, since, offset, limit } = filter;
  const queries = [
    ...(state === 'delivered' ? [] : [undelivered(store, hookId, { state, event, since })]),
    ...(state === undefined || state === 'delivered' ? [delivered(store, hookId, { event, since })] : []),
  ] as [Query, ...Query[]];
  const totals = await Promise.all(queries.map((query) => countOf(query.clone().clearSelect())));
  const [first, ...others] = queries;
  const rows = await first.unionAll(others).orderByRaw('created_at desc, 1').offset(offset).limit(limit);
  return { rows, total: totals.reduce((sum, count) => sum + count, 0) };
}

/** Returns a delivery with all its attempts, oldest first. @throws 404 `entity.not_exists_with_id` */
export async function getDelivery(
  store: TenantStore,
  { hookId, deliveryId }: { hookId: string; deliveryId: string },
): Promise<DeliverySummary & { body?: string; attemptLog: (AttemptRow & { id: string })[] }> {
  await store.get('hooks', { id: hookId });
  const attempts: AttemptRow[] = await store.from('attempts').where({ hookId, deliveryId }).orderBy('number');
  const attemptLog = attempts.map((attempt) => ({ id: attemptIdOf(attempt), ...attempt }));
  const [open] = await undelivered(store, hookId, {}).where('deliveries.id', deliveryId);
  const [done] = open ? [] : await delivered(store, hookId, {}).where({ deliveryId });
  const delivery = open ?? done;
  if (!delivery) throw new ServiceError('entity.not_exists_with_id');
  const event = await store.find('events', { id: delivery.eventId });
  return { ...delivery, ...(event && { body: bodyFor(hookId, event.body) }), attemptLog };
}

export function undelivered(store: TenantStore, hookId: string, { state, event, since, until }: DeliveryFilter): Query {
  const query = rowsInState(store, hookId, state)
    .join(store.rows('events'), 'events.id', 'deliveries.eventId')
    .select('deliveries.id', 'eventId', 'hookId')
    .select(store.fragment(`case when ${IS_WITHDRAWN} then 'cancelled' else state end as state`))
    .select(store.fragment(`case when ${IS_WITHDRAWN} then null else due_at end as due_at`))
    .select('attempts', 'lastStatus', 'trigger')
    .select({ createdAt: 'deliveries.createdAt', event: 'events.type' });
  if (event !== undefined) query.where('events.type', event);
  if (since !== undefined) query.where('deliveries.createdAt', '>=', since);
  if (until !== undefined) query.where('deliveries.createdAt', '<', until);
  return query;
}

export function delivered(store: TenantStore, hookId: string, { event, since, until }: DeliveryFilter): Query {
  const query = store
    .from('attempts')
    .where({ hookId, isSuccess: true })
    .select({ id: 'deliveryId' }, 'eventId', 'hookId')
    .select(store.fragment(`'delivered' as state`), store.fragment('cast(null as bigint) as due_at'))
    .select({ attempts: 'number', lastStatus: 'status' }, 'trigger', { createdAt: 'startedAt', event: 'eventType' });
  if (event !== undefined) query.where({ eventType: event });
  if (since !== undefined) query.where('startedAt', '>=', since);
  if (until !== undefined) query.where('startedAt', '<', until);
  return query;
}

async function countOf(query: Query): Promise<number> {
  const [row] = await query.count({ count: '*' });
  return Number(row?.count ?? 0);
}
