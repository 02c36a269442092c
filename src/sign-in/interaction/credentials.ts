import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { factorsOf } from '../proofs/factors.ts';

/**
 * A hash of all that somebody can prove an account with: its password, names and addresses, factors and linked identities.
 * A proof counts while this is what it was when the proof was given. Undefined: there is no such account, or it is suspended.
 */
export async function currentCredentials(store: TenantStore, userId: string): Promise<string | undefined> {
  const user = await store.find('users', { id: userId, isSuspended: false });
  return user && credentialsOf(store, user);
}

/** The same for a row as it was read: a proof against this row does not count for what the row became meanwhile. */
export async function credentialsOf(store: TenantStore, user: UserRow): Promise<string> {
  const { id: userId, passwordHash, username, primaryEmail, primaryPhone } = user;
  const factors = (await factorsOf(store, userId)).map(({ id }) => id);
  const identities = await store.from('userIdentities').where({ userId }).select('target', 'externalId');
  const linked = identities.map(({ target, externalId }) => [target, externalId]);
  return hashOf(JSON.stringify([passwordHash, username, primaryEmail, primaryPhone, factors.sort(), linked.sort()]));
}

/**
 * In the transaction of a change, which holds the user's row from here on: another request may have changed it since this
 * one was opened. @throws 409 `session.conflict`
 */
export async function requireUnchanged(
  store: TenantStore,
  userId: string,
  credentials: string | undefined,
): Promise<void> {
  if (await store.find('users', { id: userId })) await store.lock('users', { id: userId });
  if ((await currentCredentials(store, userId)) !== credentials) throw new ServiceError('session.conflict');
}
