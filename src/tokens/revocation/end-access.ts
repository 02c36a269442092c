import { recordAudits } from '../../audit/record.ts';
import { hashOf } from '../../base/ids.ts';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { endJwts } from './issued-jwts.ts';

/** Who ended it: the application whose call it was. */
export interface Ending {
  by: string;
  reason: 'revoked' | 'suspended' | 'deleted' | 'replayed';
  now: number;
}

/** No access token lives longer: the maximum of a resource's `accessTokenTtl`, and an hour for a clock that was set. */
const LONGEST_TOKEN_MS = 25 * 60 * 60 * 1000;

/**
 * Revokes the running impersonations among these, each with an audit row, and returns how many there were. The time
 * they were issued bounds the search: a user may have been impersonated for years.
 */
export async function endImpersonations(
  store: TenantStore,
  which: Condition,
  { by, reason, now }: Ending,
): Promise<number> {
  const running: Condition = (query) =>
    query
      .where('issuedAt', '>', now - LONGEST_TOKEN_MS)
      .where('expiresAt', '>', now)
      .where({ revokedAt: null })
      .andWhere(which);
  const ended = await store.from('impersonations').where(running).select('id', 'subjectId', 'actorId', 'expiresAt');
  if (ended.length === 0) return 0;
  await store.changeWhere('impersonations', running, { revokedAt: now, revokedBy: by });
  await store.addMissing(
    'revokedTokens',
    ended.map(({ id, expiresAt }) => ({ id, expiresAt, revokedAt: now })),
  );
  await recordAudits(
    store,
    ended.map(({ id, subjectId, actorId }) => ({
      key: 'Impersonation.End',
      result: 'Success',
      applicationId: by,
      userId: subjectId,
      actorId,
      payload: { impersonationId: id, reason },
      createdAt: now,
    })),
  );
  return ended.length;
}

const GIVEN_BY_GRANTS = ['AccessToken', 'AuthorizationCode', 'RefreshToken'];

/** Ends a grant with every code and token that was issued under it. */
export const endGrant = (store: TenantStore, grantId: string, now: number): Promise<void> =>
  store.transaction(async (store) => {
    await store.removeAll('oidcPayloads', { model: 'Grant', id: hashOf(grantId) });
    // Not a sign-in that waits: the library lets the person before sign out in the middle of one.
    await store.removeWhere('oidcPayloads', (row) => row.where({ grantId }).whereIn('model', GIVEN_BY_GRANTS));
    await endJwts(store, { grantId }, now);
  });

/**
 * Ends what a user holds: sessions, the console's too, grants, refresh tokens and access tokens. Anyone who knew the old
 * password is signed out everywhere. What others were given to act as the user is not the user's, and stays.
 *
 * @param exceptUid the session that the change was made in
 */
export async function endSessions(
  store: TenantStore,
  accountId: string,
  { now, exceptUid = '' }: { now: number; exceptUid?: string | undefined },
): Promise<void> {
  await store.removeAll('consoleSessions', { userId: accountId });
  await store.removeWhere('oidcPayloads', (payload) =>
    payload.where({ accountId }).where((kept) => kept.whereNull('uid').orWhereNot({ uid: exceptUid })),
  );
  await endJwts(store, { accountId }, now);
}

/**
 * Ends what a user may still do, or others as them: sessions (of the console too), grants, refresh tokens and access
 * tokens; unspent subject tokens and running impersonations of which they are subject or actor. For a suspension, and
 * before a deletion.
 */
export async function endAccess(store: TenantStore, userId: string, ending: Ending): Promise<void> {
  await endSessions(store, userId, ending);
  // One search for each role: with both in one condition SQLite reads the rows of the whole tenant.
  for (const role of [{ userId }, { actorId: userId }])
    await store.change('subjectTokens', { ...role, spentAt: null, revokedAt: null }, { revokedAt: ending.now });
  for (const role of [{ subjectId: userId }, { actorId: userId }])
    await endImpersonations(store, (one) => one.where(role), ending);
}
