import { randomBytes } from 'node:crypto';
import { type AuditEntry, recordAudit } from '../audit/record.ts';
import { hashOf } from '../base/ids.ts';
import { DAY_MS } from '../base/times.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { UserRow } from '../database/tables/index.ts';
import { requireOtherAdministrator } from '../management/shared/last-administrator.ts';

/** One day: long enough for the operator to follow the link, short enough that a forgotten link is harmless. */
const LINK_MS = DAY_MS;

/** Returns the ids of the tenants this user manages. All stores here are the default tenant's: administrators are its users. */
export async function managedTenantIds(store: TenantStore, userId: string): Promise<string[]> {
  const rows = await store
    .from('administrators')
    .where({ userId })
    .orderBy('managedTenantId')
    .select('managedTenantId');
  return rows.map(({ managedTenantId }) => managedTenantId);
}

/** An administrator of a tenant. */
export interface TenantAdministrator {
  user: UserRow;
  since: number;
}

/** Returns the administrators of a tenant, oldest first. */
export async function administratorsOf(store: TenantStore, managedTenantId: string): Promise<TenantAdministrator[]> {
  const rights = await store.from('administrators').where({ managedTenantId }).orderBy('createdAt');
  const ids = rights.map(({ userId }) => userId);
  const users: UserRow[] = await store.from('users').whereIn('id', ids);
  return rights.flatMap(({ userId, createdAt }) => {
    const user = users.find(({ id }) => id === userId);
    return user ? [{ user, since: createdAt }] : [];
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

/** Lets a user manage these tenants. Recorded in the default tenant's audit log in the same transaction. */
export async function addAdministrator(
  store: TenantStore,
  userId: string,
  tenantIds: readonly string[],
  { by, now, origin }: RightsChange,
): Promise<void> {
  await store.transaction(async (store) => {
    const rows = tenantIds.map((managedTenantId) => ({ userId, managedTenantId, createdAt: now }));
    await store.addMissing('administrators', rows);
    const payload = { tenantIds, by };
    const key = 'Console.Administrator.Add';
    await recordAudit(store, { ...origin, key, result: 'Success', userId, payload, createdAt: now });
  });
}

/**
 * Removes a user as administrator of a tenant. Rights are read on every request, so the removal takes effect immediately.
 *
 * @throws 404 `entity.not_found` if the user does not manage the tenant
 * @throws 422 `administrator.is_last` if no administrator who can sign in would remain
 */
export async function removeAdministrator(
  store: TenantStore,
  userId: string,
  managedTenantId: string,
  { by, now, origin }: RightsChange,
): Promise<void> {
  await store.transaction(async (store) => {
    await requireOtherAdministrator(store, userId, managedTenantId);
    await store.remove('administrators', { userId, managedTenantId });
    const payload = { tenantIds: [managedTenantId], by };
    const key = 'Console.Administrator.Remove';
    await recordAudit(store, { ...origin, key, result: 'Success', userId, payload, createdAt: now });
  });
}

/** Returns the token of a new one-time link. Only the hash of the token is stored. */
export async function createLink(store: TenantStore, managedTenantIds: string[], now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const link = { id: hashOf(token), managedTenantIds, spentAt: null, expiresAt: now + LINK_MS };
  await store.add('administratorLinks', [link]);
  return token;
}

/** The token is in the query string, which is never logged. */
export const linkUrl = (endpoint: string, token: string): string => `${endpoint}/console/-/join?link=${token}`;

/** Returns the ids of the tenants that a link grants; undefined if the link is unknown, used, or expired. */
export async function linkedTenantIds(store: TenantStore, token: string, now: number): Promise<string[] | undefined> {
  const link = await store.find('administratorLinks', { id: hashOf(token), spentAt: null });
  return link && link.expiresAt > now ? link.managedTenantIds : undefined;
}

/** Returns true for exactly one caller per link: the update matches an unspent link or no row. */
export function redeemLink(store: TenantStore, token: string, userId: string, now: number): Promise<boolean> {
  const id = hashOf(token);
  return store.transaction(async (store) => {
    const spent = await store.changeWhere(
      'administratorLinks',
      (link) => link.where({ id, spentAt: null }).where('expiresAt', '>', now),
      { spentAt: now },
    );
    if (spent !== 1) return false;
    const { managedTenantIds } = await store.get('administratorLinks', { id });
    await addAdministrator(store, userId, managedTenantIds, { by: 'link', now });
    return true;
  });
}
