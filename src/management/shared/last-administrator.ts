import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';

/**
 * Before somebody's right to tenants' consoles ends, or their account: each of these tenants keeps somebody who can
 * sign in. In the caller's transaction.
 *
 * @param store the default tenant's, whose users administrators are; in every other nobody has such a right
 * @param managedTenantId one of theirs, or all of theirs
 * @throws 422 `administrator.is_last`
 */
export async function keepAdministrator(store: TenantStore, userId: string, managedTenantId?: string): Promise<void> {
  const theirs = await store.from('administrators').where({ userId, ...(managedTenantId && { managedTenantId }) });
  const tenants = theirs.map((right) => right.managedTenantId);
  if (tenants.length === 0) return;
  // Locked in one order: of two who take each other's right away, the second waits and finds themselves the last.
  const rights = await store
    .from('administrators')
    .whereIn('managedTenantId', tenants)
    .orderBy(['managedTenantId', 'userId'])
    .forUpdate();
  const others = rights.filter((right) => right.userId !== userId);
  const ids = others.map((right) => right.userId);
  const active = await store.from('users').whereIn('id', ids).where({ isSuspended: false }).select('id');
  const remaining = new Set(active.map(({ id }) => id));
  const kept = new Set(others.filter((right) => remaining.has(right.userId)).map((right) => right.managedTenantId));
  if (tenants.some((id) => !kept.has(id))) throw new ServiceError('administrator.is_last');
}
