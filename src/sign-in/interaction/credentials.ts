import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { factorsOf } from '../proofs/factors.ts';

/**
 * Returns a hash of everything that can prove an account: password, identifiers, factors and linked identities. A proof
 * is valid only while this equals its value at the time of the proof. Undefined if the account does not exist or is
 * suspended.
 */
export async function currentCredentials(store: TenantStore, userId: string): Promise<string | undefined> {
  const user = await store.find('users', { id: userId, isSuspended: false });
  return user && credentialsOf(store, user);
}

/**
 * Returns the same hash for a row that was read before: a proof against this row is not valid for the row's later
 * state.
 */
export async function credentialsOf(store: TenantStore, user: UserRow): Promise<string> {
  const { id: userId, passwordHash, username, primaryEmail, primaryPhone } = user;
  const factors = (await factorsOf(store, userId)).map(({ id }) => id);
  const identities = await store.from('userIdentities').where({ userId }).select('target', 'externalId');
  const linked = identities.map(({ target, externalId }) => [target, externalId]);
  return hashOf(JSON.stringify([passwordHash, username, primaryEmail, primaryPhone, factors.sort(), linked.sort()]));
}

/**
 * Locks the user's row for the rest of the transaction and checks that no other request changed the account since this
 * one was opened.
 *
 * @throws 409 `session.conflict`
 */
export async function requireUnchanged(
  store: TenantStore,
  userId: string,
  credentials: string | undefined,
): Promise<void> {
  if (await store.find('users', { id: userId })) await store.lock('users', { id: userId });
  if ((await currentCredentials(store, userId)) !== credentials) throw new ServiceError('session.conflict');
}
