import { DAY_MS } from '../../base/times.ts';
import type { Database } from '../../database/database.ts';
import { deleteInBatches } from '../../database/retention.ts';
import type { AttemptRow } from '../../database/tables/index.ts';

/** How long attempts, ended deliveries and events are kept. An event is kept longer while it has a delivery. */
const KEPT_MS = 30 * DAY_MS;

/** An event that no delivery needs. */
const UNNEEDED = `not exists (
  select 1 from deliveries where deliveries.tenant_id = events.tenant_id and deliveries.event_id = events.id)`;

/** Deletes webhook data older than 30 days. */
export async function sweepWebhooks(database: Database, now: number): Promise<void> {
  const before = now - KEPT_MS;
  await sweepAttempts(database, before);
  // Dead or cancelled deliveries. This is the condition of the partial index.
  await deleteInBatches(database, 'deliveries', (rows) => rows.whereNull('dueAt').where('createdAt', '<', before));
  await deleteInBatches(database, 'events', (rows) => rows.where('occurredAt', '<', before).whereRaw(UNNEEDED));
  await deleteInBatches(database, 'replays', (rows) =>
    rows.whereNot({ state: 'running' }).where('createdAt', '<', before),
  );
}

/** Goes from webhook to webhook, also deleted ones. Rejected: an index by time alone, which slows every attempt. */
async function sweepAttempts(database: Database, before: number): Promise<void> {
  for (let hook = await oldestAfter(database); hook; hook = await oldestAfter(database, hook)) {
    const { tenantId, hookId, startedAt } = hook;
    if (startedAt >= before) continue;
    await deleteInBatches(database, 'attempts', (rows) =>
      rows.where({ tenantId, hookId }).where('startedAt', '<', before),
    );
  }
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
