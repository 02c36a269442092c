import { newId } from '../../base/ids.ts';
import type { Database } from '../../database/database.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ClearingRow, HookRow } from '../../database/tables/index.ts';

/** Deliveries per transaction, few enough that other writes do not wait. */
const BATCH_ROWS = 1000;

/**
 * Cancels all waiting deliveries of a webhook: from this commit on they are never sent, even if it is enabled again,
 * because each delivery stores the `timesDisabled` that the webhook had when it was created. `clearDeliveries` updates
 * the rows later.
 */
export async function cancelWaiting(
  store: TenantStore,
  { id, timesDisabled }: Pick<HookRow, 'id' | 'timesDisabled'>,
): Promise<void> {
  await store.change('hooks', { id }, { timesDisabled: timesDisabled + 1 });
  await store.add('clearings', [{ id: newId(), hookId: id }]);
}

/**
 * Deletes a webhook. From then on its deliveries are neither listed nor sent; `clearDeliveries` removes them later.
 *
 * @throws 404 `entity.not_found`
 */
export async function removeHook(store: TenantStore, id: string): Promise<void> {
  await store.remove('hooks', { id });
  await store.add('clearings', [{ id: newId(), hookId: id }]);
}

/**
 * For all tenants, cancels the waiting deliveries of disabled webhooks and removes the deliveries of deleted ones,
 * 1,000 at a time. If interrupted, the next run continues. Two concurrent runs are harmless.
 */
export async function clearDeliveries(database: Database): Promise<void> {
  const clearings: ClearingRow[] = await database.reader('clearings');
  for (const { tenantId, id, hookId } of clearings) {
    const key = { tenantId, id: hookId };
    const hook: HookRow | undefined = await database
      .reader('hooks')
      .where(key)
      .first('id', 'tenantId', 'timesDisabled');
    await (hook ? cancelRows(database, hook) : removeRows(database, { tenantId, hookId }));
    await database.write((db) => db('clearings').where({ tenantId, id }).delete());
  }
}

/**
 * Searches outside the transaction, walking the index once: on SQLite, finding old deliveries among many new ones would
 * make every other write wait. Deliveries in flight are left to the poller.
 */
async function cancelRows(database: Database, { tenantId, id: hookId, timesDisabled }: HookRow): Promise<void> {
  for (let dueAt = 0; ; ) {
    const found: { id: string; dueAt: number }[] = await database
      .reader('deliveries')
      .where({ tenantId, hookId, state: 'waiting' })
      .where('dueAt', '>=', dueAt)
      .where('timesDisabled', '<', timesDisabled)
      .orderBy(['dueAt', 'id'])
      .limit(BATCH_ROWS)
      .select('id', 'dueAt');
    const last = found.at(-1);
    if (!last) return;
    const ids = found.map(({ id }) => id);
    await database.byKey((db) =>
      db('deliveries')
        .where({ tenantId, state: 'waiting' })
        .whereIn('id', ids)
        .update({ state: 'cancelled', dueAt: null }),
    );
    dueAt = last.dueAt;
  }
}

async function removeRows(database: Database, hook: { tenantId: string; hookId: string }): Promise<void> {
  for (;;) {
    const ids: string[] = await database.reader('deliveries').where(hook).limit(BATCH_ROWS).pluck('id');
    if (ids.length === 0) return;
    await database.byKey((db) => db('deliveries').where({ tenantId: hook.tenantId }).whereIn('id', ids).delete());
  }
}
