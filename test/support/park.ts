import { DAY_MS } from '../../src/base/times.ts';
import type { Database } from '../../src/database/database.ts';

/** Inserts deliveries of one event that are due tomorrow, over all webhooks of the tenant in turn. */
export async function park(database: Database, tenantId: string, count: number, now: number): Promise<void> {
  const event = { tenantId, id: 'parked', type: 'User.Created', body: '{"event":"User.Created"}', occurredAt: now };
  await database.transaction(async (db) => {
    await db('events').insert(event);
    await db.raw(
      `insert into deliveries (tenant_id, id, event_id, hook_id, state, due_at, attempts, trigger, created_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?),
         turns as (select id, row_number() over (order by id) - 1 as turn, count(*) over () as hooks from hooks)
       select ?, 'parked' || n, 'parked', turns.id, 'waiting', ?, 1, 'schedule', ?
       from numbers join turns on turns.turn = n % turns.hooks`,
      [count, tenantId, now + DAY_MS, now],
    );
  });
}
