import { newId } from '../../base/ids.ts';
import type { Database } from '../../database/database.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ClearingRow, HookRow } from '../../database/tables/index.ts';

/** Deliveries of one transaction: short enough that nobody waits for it. */
const BATCH_ROWS = 1000;

/**
 * What waits for this hook is cancelled with this transaction, and never sent, even if the hook is enabled again: it
 * was made before the hook was last disabled, which is all that is asked. The rows follow with `clearDeliveries`.
 */
export async function cancelWaiting(
  store: TenantStore,
  { id, timesDisabled }: Pick<HookRow, 'id' | 'timesDisabled'>,
): Promise<void> {
  await store.change('hooks', { id }, { timesDisabled: timesDisabled + 1 });
  await store.add('clearings', [{ id: newId(), hookId: id }]);
}

/**
 * Without its hook no delivery is found or sent. The rows follow with `clearDeliveries`.
 *
 * @throws 404 `entity.not_found`
 */
export async function removeHook(store: TenantStore, id: string): Promise<void> {
  await store.remove('hooks', { id });
  await store.add('clearings', [{ id: newId(), hookId: id }]);
}

/**
 * Cancels what waited for hooks that were disabled, and removes the deliveries of those that were deleted, a thousand
 * at a time, of all tenants. What was cut short goes on at the next turn, and two at once do each other no harm.
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
 * Looked for outside the transaction, in the order of the index, once along it: on SQLite the search for old deliveries
 * among many new ones would keep every other write waiting. What is under way is left to the poller.
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
