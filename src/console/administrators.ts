import { randomBytes } from 'node:crypto';
import { recordAudit } from '../audit/record.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { hashOf } from '../ids.ts';

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

/** How a right came about: by a link, by a command of whoever runs the service, or with a tenant made in the console. */
type Means = 'link' | 'command' | 'console';

/** Recorded in the log of the default tenant, in the same transaction. */
export async function manage(
  store: TenantStore,
  userId: string,
  tenantIds: readonly string[],
  { by, now }: { by: Means; now: number },
): Promise<void> {
  await store.transaction(async (store) => {
    const rows = tenantIds.map((managedTenantId) => ({ userId, managedTenantId, createdAt: now }));
    await store.addMissing('administrators', rows);
    const payload = { tenantIds, by };
    await recordAudit(store, { key: 'Console.Administrator.Add', result: 'Success', userId, payload, createdAt: now });
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
