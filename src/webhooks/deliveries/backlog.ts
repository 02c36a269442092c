import type { Database } from '../../database/database.ts';

export interface Backlog {
  /** Deliveries that wait although they are due. */
  due: number;
  /** Since when the oldest of them is due, epoch milliseconds: the alarm. */
  oldestDueAt: number | undefined;
  /** Deliveries whose schedule ended without success. */
  dead: number;
}

/** Of all tenants, for metrics. It counts rows, so it is for a scrape every few seconds, not for each request. */
export async function backlog(database: Database, now: number): Promise<Backlog> {
  const deliveries = () => database.reader('deliveries');
  const [due] = await deliveries()
    .whereRaw(`state = 'waiting' and due_at <= ?`, [now])
    .count({ count: '*' })
    .min({ oldest: 'dueAt' });
  const [dead] = await deliveries().whereNull('dueAt').where({ state: 'dead' }).count({ count: '*' });
  return { due: Number(due?.count), oldestDueAt: due?.oldest ?? undefined, dead: Number(dead?.count) };
}
