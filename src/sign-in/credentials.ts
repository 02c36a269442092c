import type { TenantStore } from '../database/tenant-store.ts';
import { hashOf } from '../ids.ts';
import { factorsOf } from './factors.ts';

/**
 * A hash of all that somebody can prove an account with: its password, names and addresses, factors and linked identities.
 * A proof counts while this is what it was when the proof was given. Undefined: there is no such account, or it is suspended.
 */
export async function credentialsOf(store: TenantStore, userId: string): Promise<string | undefined> {
  const user = await store.find('users', { id: userId, isSuspended: false });
  if (!user) return undefined;
  const { passwordHash, username, primaryEmail, primaryPhone } = user;
  const factors = (await factorsOf(store, userId)).map(({ id }) => id);
  const identities = await store.from('userIdentities').where({ userId }).select('target', 'externalId');
  const linked = identities.map(({ target, externalId }) => [target, externalId]);
  return hashOf(JSON.stringify([passwordHash, username, primaryEmail, primaryPhone, factors.sort(), linked.sort()]));
}
