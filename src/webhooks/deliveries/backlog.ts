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
export async function backlog(database: Database, now: number): Promise<Backlog> {
  const deliveries = () => database.reader('deliveries');
  const [due] = await deliveries()
    .whereRaw(`state = 'waiting' and due_at <= ?`, [now])
    .count({ count: '*' })
    .min({ oldest: 'dueAt' });
  const [dead] = await deliveries().whereNull('dueAt').where({ state: 'dead' }).count({ count: '*' });
  return { due: Number(due?.count), oldestDueAt: due?.oldest ?? undefined, dead: Number(dead?.count) };
}
