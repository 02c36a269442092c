import type { Database } from '../database/connect.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Attempts, ended deliveries and events are kept this long; events longer while a delivery needs them. */
const KEPT_MS = 30 * DAY_MS;
/** Rows of one statement: short enough that nobody waits for it. */
const BATCH_ROWS = 1000;

/** Deletes what is older than 30 days, a thousand rows at a time. @returns how many rows went */
export async function sweepWebhooks(database: Database, now: number): Promise<number> {
  const before = now - KEPT_MS;
  const ended = `state in ('dead', 'cancelled') and created_at < ?`;
  const unneeded = `occurred_at < ? and not exists (
    select 1 from deliveries where deliveries.tenant_id = events.tenant_id and deliveries.event_id = events.id)`;
  return (
    (await sweep(database, 'attempts', 'started_at < ?', before)) +
    (await sweep(database, 'deliveries', ended, before)) +
    (await sweep(database, 'events', unneeded, before)) +
    (await sweep(database, 'replays', `state <> 'running' and created_at < ?`, before))
  );
}

async function sweep(database: Database, table: string, condition: string, before: number): Promise<number> {
  let total = 0;
  for (;;) {
    const old = `select tenant_id, id from ${table} where ${condition} limit ${BATCH_ROWS}`;
    const gone = await database.write((db) => db(table).whereRaw(`(tenant_id, id) in (${old})`, [before]).delete());
    total += gone;
    if (gone < BATCH_ROWS) return total;
  }
}
