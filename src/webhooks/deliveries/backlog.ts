import type { Database } from '../../database/database.ts';

export interface Backlog {
  /** Deliveries that are due but not yet claimed. */
  due: number;
  /** When the oldest of them became due, in epoch milliseconds. Alert on this. */
  oldestDueAt: number | undefined;
  /** Deliveries that failed permanently. */
  dead: number;
}

/** Returns the backlog of all tenants, for metrics. Counts rows, so call it every few seconds, not per request. */
export async function readBacklog(database: Database, now: number): Promise<Backlog> {
  const deliveries = () => database.reader('deliveries');
  const [due] = await deliveries()
    .whereRaw(`state = 'waiting' and due_at <= ?`, [now])
    .count({ count: '*' })
    .min({ oldest: 'dueAt' });
  const [dead] = await deliveries().whereNull('dueAt').where({ state: 'dead' }).count({ count: '*' });
  return { due: Number(due?.count), oldestDueAt: due?.oldest ?? undefined, dead: Number(dead?.count) };
}

/**
 * Records for each tenant how many deliveries are waiting or in flight. Reads only the partial index of those. Several
 * processes may record the same, because the maximum is stored.
 */
export async function recordBacklog(database: Database, now: number): Promise<void> {
  const open: { tenantId: string; count: number }[] = await database
    .reader('deliveries')
    .whereNotNull('dueAt')
    .groupBy('tenantId')
    .select('tenantId')
    .count({ count: '*' });
  for (const { tenantId, count } of open) database.figures.add(tenantId, now, { backlog: count });
}
