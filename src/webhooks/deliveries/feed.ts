import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { type DeliveryFilter, type DeliverySummary, delivered, undelivered } from './history.ts';

interface DeliveryFeed {
  deliveries: DeliverySummary[];
  /** Cursor of the next page, with older deliveries; null on the last page. */
  next: string | null;
}

interface FeedOptions extends DeliveryFilter {
  before?: string | undefined;
  limit: number;
}

/** Parses a cursor, `<createdAt>-<id>` of a page's last delivery. @throws 400 `guard.invalid_pagination` */
function cursorOf(text: string): { createdAt: number; id: string } {
  const [, createdAt, id] = /^(\d{1,15})-([\w-]{1,64})$/.exec(text) ?? [];
  if (createdAt === undefined || id === undefined) throw new ServiceError('guard.invalid_pagination');
  return { createdAt: Number(createdAt), id };
}

/** Condition "older than the cursor" that uses the index: the time bounds the range, the id breaks ties. */
function olderThan(before: string | undefined, time: string, name: string): Condition {
  if (before === undefined) return () => undefined;
  const { createdAt, id } = cursorOf(before);
  return (query) =>
    query
      .where(time, '<=', createdAt)
      .andWhere((older) => older.where(time, '<', createdAt).orWhere((same) => same.where(name, '<', id)));
}

const newestFirst = (time: string, id: string) => [
  { column: time, order: 'desc' as const },
  { column: id, order: 'desc' as const },
];

const byAge = (one: DeliverySummary, other: DeliverySummary): number =>
  other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1);

/**
 * Returns the deliveries of a webhook from a cursor on, newest first. Reads only as many rows as it returns, even if
 * the webhook has a million: both tables are read along an index, without count or offset. Exception: filtering by a
 * rare state or event also reads the rows in between, back to `since`. Rejected: an index for that, which would be
 * written with each delivery.
 */
export async function feedOfDeliveries(
  store: TenantStore,
  hookId: string,
  { before, limit, ...filter }: FeedOptions,
): Promise<DeliveryFeed> {
  const { state } = filter;
  const queries = [];
  if (state !== 'delivered')
    queries.push(
      undelivered(store, hookId, filter)
        .where(olderThan(before, 'deliveries.createdAt', 'deliveries.id'))
        .orderBy(newestFirst('deliveries.createdAt', 'deliveries.id')),
    );
  if (state === undefined || state === 'delivered')
    queries.push(
      delivered(store, hookId, filter)
        .where(olderThan(before, 'startedAt', 'deliveryId'))
        .orderBy(newestFirst('startedAt', 'deliveryId')),
    );
  const read: DeliverySummary[][] = await Promise.all(queries.map((query) => query.limit(limit + 1)));
  return pageOf(read.flat(), limit);
}

/** Webhooks whose deliveries are read at once, so that one request does not occupy all connections. */
const READ_AT_ONCE = 3;

/**
 * The same for all webhooks of the tenant, of which there are at most 100. Rejected: an index of all attempts by time,
 * which would be written with each attempt.
 */
export async function feedOfAllDeliveries(store: TenantStore, options: FeedOptions): Promise<DeliveryFeed> {
  const hooks = await store.from('hooks').select('id');
  const limit = options.limit + 1;
  let newest: DeliverySummary[] = [];
  while (hooks.length > 0) {
    const some = hooks.splice(0, READ_AT_ONCE);
    const feeds = await Promise.all(some.map(({ id }) => feedOfDeliveries(store, id, { ...options, limit })));
    newest = pageOf([...newest, ...feeds.flatMap(({ deliveries }) => deliveries)], limit).deliveries;
  }
  return pageOf(newest, options.limit);
}

function pageOf(found: DeliverySummary[], limit: number): DeliveryFeed {
  const deliveries = found.sort(byAge);
  const page = deliveries.slice(0, limit);
  const last = deliveries.length > limit ? page.at(-1) : undefined;
  return { deliveries: page, next: last ? `${last.createdAt}-${last.id}` : null };
}
