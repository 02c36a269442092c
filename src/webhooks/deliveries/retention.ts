import type { Database } from '../../database/database.ts';
import type { AttemptRow } from '../../database/tables/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long attempts, ended deliveries and events are kept. An event is kept longer while it has a delivery. */
const KEPT_MS = 30 * DAY_MS;
/** Rows per statement, few enough that other writes do not wait. */
const BATCH_ROWS = 1000;

/** Deletes webhook data older than 30 days, 1,000 rows at a time. @returns the number of deleted rows */
export async function sweepWebhooks(database: Database, now: number): Promise<number> {
  const before = now - KEPT_MS;
  const ended = `due_at is null and created_at < ?`; // Dead or cancelled. This is the condition of the partial index.
  const unneeded = `occurred_at < ? and not exists (
    select 1 from deliveries where deliveries.tenant_id = events.tenant_id and deliveries.event_id = events.id)`;
  return (
    (await sweepAttempts(database, before)) +
    (await sweep(database, 'deliveries', 'tenant_id, id', ended, [before])) +
    (await sweep(database, 'events', 'tenant_id, id', unneeded, [before])) +
    (await sweep(database, 'replays', 'tenant_id, id', `state <> 'running' and created_at < ?`, [before]))
  );
}

/**
 * Goes from webhook to webhook, including deleted ones. Rejected: an index by time alone, which slows every attempt.
 */
async function sweepAttempts(database: Database, before: number): Promise<number> {
  const old = 'tenant_id = ? and hook_id = ? and started_at < ?';
  let total = 0;
  for (let hook = await oldestAfter(database); hook; hook = await oldestAfter(database, hook)) {
    if (hook.startedAt >= before) continue;
    total += await sweep(database, 'attempts', 'tenant_id, delivery_id, number', old, [
      hook.tenantId,
      hook.hookId,
      before,
    ]);
  }
  return total;
}

/** Returns the oldest attempt of the next webhook in the index. */
async function oldestAfter(
  database: Database,
  { tenantId, hookId } = { tenantId: '', hookId: '' },
): Promise<AttemptRow | undefined> {
  return database
    .reader('attempts')
    .whereRaw('(tenant_id, hook_id) > (?, ?)', [tenantId, hookId])
    .orderBy(['tenantId', 'hookId', 'startedAt'])
    .first('tenantId', 'hookId', 'startedAt');
}

async function sweep(
  database: Database,
  table: string,
  key: string,
  condition: string,
  bindings: (string | number)[],
): Promise<number> {
  let total = 0;
  for (;;) {
    const old = `select ${key} from ${table} where ${condition} limit ${BATCH_ROWS}`;
    const gone = await database.write((db) => db(table).whereRaw(`(${key}) in (${old})`, bindings).delete());
    total += gone;
    if (gone < BATCH_ROWS) return total;
  }
}
