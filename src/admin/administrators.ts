import { randomBytes } from 'node:crypto';
import { type AuditEntry, recordAudit } from '../audit/record.ts';
import { type AdministratorRole, includesRole } from '../base/administrator-role.ts';
import { hashOf } from '../base/ids.ts';
import { DAY_MS } from '../base/times.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { UserRow } from '../database/tables/index.ts';
import { requireOtherOwner } from '../management/shared/last-owner.ts';

/** One day: long enough for the operator to follow the link, short enough that a forgotten link is harmless. */
const LINK_MS = DAY_MS;

/** A role in tenants. */
export interface Rights {
  tenantIds: readonly string[];
  role: AdministratorRole;
}

/**
 * Returns the role of a user in each tenant that they manage, by tenant id. All stores here are the default tenant's:
 * administrators are its users.
 */
export async function rolesOf(store: TenantStore, userId: string): Promise<ReadonlyMap<string, AdministratorRole>> {
  const rows = await store.from('administrators').where({ userId }).orderBy('managedTenantId');
  return new Map(rows.map(({ managedTenantId, role }) => [managedTenantId, role]));
}

/** An administrator of a tenant. */
export interface TenantAdministrator {
  user: UserRow;
  role: AdministratorRole;
  since: number;
}

/** Returns the administrators of a tenant, oldest first. */
export async function administratorsOf(store: TenantStore, managedTenantId: string): Promise<TenantAdministrator[]> {
  const rights = await store.from('administrators').where({ managedTenantId }).orderBy('createdAt');
  const ids = rights.map(({ userId }) => userId);
  const users: UserRow[] = await store.from('users').whereIn('id', ids);
  return rights.flatMap(({ userId, role, createdAt }) => {
    const user = users.find(({ id }) => id === userId);
    return user ? [{ user, role, since: createdAt }] : [];
  });
}

/** Finds a user of the default tenant by id, username, or primary email address. */
export async function findUser(store: TenantStore, name: string): Promise<UserRow | undefined> {
  return (
    (await store.find('users', { id: name })) ??
    (await store.find('users', { username: name })) ??
    (await store.find('users', { primaryEmail: name }))
  );
}

/** Where a change of rights came from, for the audit log. `origin` is set if it came from the console. */
export interface RightsChange {
  by: 'link' | 'command' | 'console';
  now: number;
  origin?: Pick<AuditEntry, 'applicationId' | 'actorId' | 'ip' | 'userAgent' | 'requestId'>;
}

/** Records a change in the default tenant's audit log. Call it in the transaction of the change. */
async function record(
  store: TenantStore,
  change: 'Add' | 'Change' | 'Remove',
  { userId, ...rights }: { userId: string; tenantIds: readonly string[]; role?: AdministratorRole },
  { by, now, origin }: RightsChange,
): Promise<void> {
  if (rights.tenantIds.length === 0) return;
  const key = `Console.Administrator.${change}`;
  await recordAudit(store, { ...origin, key, result: 'Success', userId, payload: { ...rights, by }, createdAt: now });
}

/**
 * Gives a user a role in these tenants. It replaces the role of a user who already manages them.
 *
 * @throws 422 `administrator.is_last` if a tenant would lose its last owner who can sign in
 */
export async function giveRole(
  store: TenantStore,
  userId: string,
  { tenantIds, role }: Rights,
  change: RightsChange,
): Promise<void> {
  await store.transaction(async (store) => {
    const rows = tenantIds.map((managedTenantId) => ({ userId, managedTenantId, role, createdAt: change.now }));
    const added = (await store.addMissing('administrators', rows)).map(({ managedTenantId }) => managedTenantId);
    const changed: string[] = [];
    for (const managedTenantId of tenantIds.filter((id) => !added.includes(id))) {
      if (role !== 'owner') await requireOtherOwner(store, userId, managedTenantId);
      const key = { userId, managedTenantId };
      const count = await store.changeWhere('administrators', (one) => one.where(key).whereNot({ role }), { role });
      if (count > 0) changed.push(managedTenantId);
    }
    await record(store, 'Add', { userId, tenantIds: added, role }, change);
    await record(store, 'Change', { userId, tenantIds: changed, role }, change);
  });
}

/**
 * Removes a user as administrator of a tenant. Rights are read on every request, so the removal takes effect immediately.
 *
 * @throws 404 `entity.not_found` if the user does not manage the tenant
 * @throws 422 `administrator.is_last` if no owner who can sign in would remain
 */
export async function removeAdministrator(
  store: TenantStore,
  userId: string,
  managedTenantId: string,
  change: RightsChange,
): Promise<void> {
  await store.transaction(async (store) => {
    await requireOtherOwner(store, userId, managedTenantId);
    await store.remove('administrators', { userId, managedTenantId });
    await record(store, 'Remove', { userId, tenantIds: [managedTenantId] }, change);
  });
}

/** Returns the token of a new one-time link. Only the hash of the token is stored. */
export async function createLink(store: TenantStore, { tenantIds, role }: Rights, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const link = { id: hashOf(token), managedTenantIds: [...tenantIds], role, spentAt: null, expiresAt: now + LINK_MS };
  await store.add('administratorLinks', [link]);
  return token;
}

/** The token is in the query string, which is never logged. */
export const linkUrl = (endpoint: string, token: string): string => `${endpoint}/console/-/join?link=${token}`;

/** Returns the rights that a link grants; undefined if the link is unknown, used, or expired. */
export async function rightsOfLink(store: TenantStore, token: string, now: number): Promise<Rights | undefined> {
  const link = await store.find('administratorLinks', { id: hashOf(token), spentAt: null });
  return link && link.expiresAt > now ? { tenantIds: link.managedTenantIds, role: link.role } : undefined;
}

/**
 * Returns true for exactly one caller per link: the update matches an unspent link or no row. An administrator who already
 * has the role of the link, or a higher one, keeps it.
 */
export function redeemLink(store: TenantStore, token: string, userId: string, now: number): Promise<boolean> {
  const id = hashOf(token);
  return store.transaction(async (store) => {
    const spent = await store.changeWhere(
      'administratorLinks',
      (link) => link.where({ id, spentAt: null }).where('expiresAt', '>', now),
      { spentAt: now },
    );
    if (spent !== 1) return false;
    const { managedTenantIds, role } = await store.get('administratorLinks', { id });
    const known = await rolesOf(store, userId);
    const tenantIds = managedTenantIds.filter((tenantId) => {
      const own = known.get(tenantId);
      return !own || !includesRole(own, role);
    });
    await giveRole(store, userId, { tenantIds, role }, { by: 'link', now });
    return true;
  });
}
