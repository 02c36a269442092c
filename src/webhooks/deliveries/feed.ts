import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { type DeliveryRestriction, type DeliverySummary, delivered, undelivered } from './history.ts';

export interface DeliveryFeed {
  deliveries: DeliverySummary[];
  /** Where the older ones begin; null when there are none. */
  next: string | null;
}

interface Asked extends DeliveryRestriction {
  before?: string | undefined;
  limit: number;
}

/** `<createdAt>-<id>` of the last one that was read. @throws 400 */
function cursorOf(text: string): { createdAt: number; id: string } {
  const [, createdAt, id] = /^(\d{1,15})-([\w-]{1,64})$/.exec(text) ?? [];
  if (createdAt === undefined || id === undefined) throw new ServiceError('guard.invalid_pagination');
  return { createdAt: Number(createdAt), id };
}

/** Older than the cursor, in the words of an index: the time alone bounds the walk, the id decides among equals. */
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
 * Deliveries of a hook from a cursor on, newest first. It reads as many rows as it shows, whether the hook has a hundred
 * or a million: nothing is counted and nothing skipped, each of both tables is walked along its index. A state or event
 * that few have is the exception: what is between them is read too, up to `since`. An index of those would be written
 * with each delivery.
 */
export async function feedOfDeliveries(
  store: TenantStore,
  hookId: string,
  { state, event, since, before, limit }: Asked,
): Promise<DeliveryFeed> {
  const parts = [];
  if (state !== 'delivered')
    parts.push(
      undelivered(store, hookId, { state, event, since })
        .where(olderThan(before, 'deliveries.createdAt', 'deliveries.id'))
        .orderBy(newestFirst('deliveries.createdAt', 'deliveries.id')),
    );
  if (state === undefined || state === 'delivered')
    parts.push(
      delivered(store, hookId, { event, since })
        .where(olderThan(before, 'startedAt', 'deliveryId'))
        .orderBy(newestFirst('startedAt', 'deliveryId')),
    );
  const read: DeliverySummary[][] = await Promise.all(parts.map((part) => part.limit(limit + 1)));
  const deliveries = read.flat().sort(byAge);
  const shown = deliveries.slice(0, limit);
  const last = deliveries.length > limit ? shown.at(-1) : undefined;
  return { deliveries: shown, next: last ? `${last.createdAt}-${last.id}` : null };
}
