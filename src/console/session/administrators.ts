import { randomBytes } from 'node:crypto';
import { type AuditEntry, recordAudit } from '../../audit/record.ts';
import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { keepAdministrator } from '../../management/shared/last-administrator.ts';

/** A day: long enough for whoever starts the service to find time, short enough to be forgotten safely. */
const LINK_MS = 24 * 60 * 60 * 1000;

/** Every store here is the default tenant's: administrators are its users. */
export async function managedTenants(store: TenantStore, userId: string): Promise<string[]> {
  const rows = await store
    .from('administrators')
    .where({ userId })
    .orderBy('managedTenantId')
    .select('managedTenantId');
  return rows.map(({ managedTenantId }) => managedTenantId);
}

/** Somebody who manages a tenant. */
export interface Manager {
  user: UserRow;
  since: number;
}

/** Those who manage this tenant, the first of them first. */
export async function managersOf(store: TenantStore, managedTenantId: string): Promise<Manager[]> {
  const rights = await store.from('administrators').where({ managedTenantId }).orderBy('createdAt');
  const ids = rights.map(({ userId }) => userId);
  const users: UserRow[] = await store.from('users').whereIn('id', ids);
  return rights.flatMap(({ userId, createdAt }) => {
    const user = users.find(({ id }) => id === userId);
    return user ? [{ user, since: createdAt }] : [];
  });
}

/** A user of the default tenant, by all that they may be called. */
export async function findPerson(store: TenantStore, name: string): Promise<UserRow | undefined> {
  for (const key of [{ id: name }, { username: name }, { primaryEmail: name }]) {
    const user = await store.find('users', key);
    if (user) return user;
  }
  return undefined;
}

/** How a right came about or went, and in the console by whom. */
export interface Means {
  by: 'link' | 'command' | 'console';
  now: number;
  who?: Pick<AuditEntry, 'applicationId' | 'actorId' | 'ip' | 'userAgent' | 'requestId'>;
}

/** Recorded in the log of the default tenant, in the same transaction. */
export async function manage(
  store: TenantStore,
  userId: string,
  tenantIds: readonly string[],
  { by, now, who }: Means,
): Promise<void> {
  await store.transaction(async (store) => {
    const rows = tenantIds.map((managedTenantId) => ({ userId, managedTenantId, createdAt: now }));
    await store.addMissing('administrators', rows);
    const payload = { tenantIds, by };
    const key = 'Console.Administrator.Add';
    await recordAudit(store, { ...who, key, result: 'Success', userId, payload, createdAt: now });
  });
}

/**
 * Rights are read anew for every request, so the person is out of this tenant's pages at once.
 *
 * @throws 404 `entity.not_found` for somebody who does not manage it
 * @throws 422 `administrator.is_last` when nobody who can sign in would be left
 */
export async function unmanage(
  store: TenantStore,
  userId: string,
  managedTenantId: string,
  { by, now, who }: Means,
): Promise<void> {
  await store.transaction(async (store) => {
    await keepAdministrator(store, userId, managedTenantId);
    await store.remove('administrators', { userId, managedTenantId });
    const payload = { tenantIds: [managedTenantId], by };
    const key = 'Console.Administrator.Remove';
    await recordAudit(store, { ...who, key, result: 'Success', userId, payload, createdAt: now });
  });
}

/** What a one-time link holds. Only its hash is kept. */
export async function makeLink(store: TenantStore, managedTenantIds: string[], now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const link = { id: hashOf(token), managedTenantIds, spentAt: null, expiresAt: now + LINK_MS };
  await store.add('administratorLinks', [link]);
  return token;
}

/** The token stands in the query, which no log holds. */
export const linkUrl = (endpoint: string, token: string): string => `${endpoint}/console/-/join?link=${token}`;

/** The tenants that an unused link gives; undefined when there is no such link, or no longer. */
export async function linkedTenants(store: TenantStore, token: string, now: number): Promise<string[] | undefined> {
  const link = await store.find('administratorLinks', { id: hashOf(token), spentAt: null });
  return link && link.expiresAt > now ? link.managedTenantIds : undefined;
}

/** True for one person only, ever: the update matches an unspent link or nothing. */
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
    await manage(store, userId, managedTenantIds, { by: 'link', now });
    return true;
  });
}
