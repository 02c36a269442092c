import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';

/**
 * Ensures that every tenant that this user owns keeps another owner who can sign in. Call it in the transaction that ends
 * the account or the role of the user.
 *
 * @param store the default tenant's, whose users the administrators are. Other tenants have no administrators of their
 * own.
 * @param managedTenantId checks only this tenant
 * @throws 422 `administrator.is_last`
 */
export async function requireOtherOwner(store: TenantStore, userId: string, managedTenantId?: string): Promise<void> {
  const theirs = await store.from('administrators').where({ userId, ...(managedTenantId && { managedTenantId }) });
  const tenants = theirs.map((right) => right.managedTenantId);
  if (tenants.length === 0) return;
  // Rows of every role are locked, because a role may be changing, and in one order. If two owners remove each other, the
  // second one waits and is then the last.
  const rights = await store
    .from('administrators')
    .whereIn('managedTenantId', tenants)
    .orderBy(['managedTenantId', 'userId'])
    .forUpdate();
  const owners = rights.filter(({ role }) => role === 'owner');
  const owned = owners.filter((right) => right.userId === userId).map((right) => right.managedTenantId);
  const others = owners.filter((right) => right.userId !== userId);
  const ids = others.map((right) => right.userId);
  const active = await store.from('users').whereIn('id', ids).where({ isSuspended: false }).select('id');
  const remaining = new Set(active.map(({ id }) => id));
  const kept = new Set(others.filter((right) => remaining.has(right.userId)).map((right) => right.managedTenantId));
  if (owned.some((id) => !kept.has(id))) throw new ServiceError('administrator.is_last');
}
