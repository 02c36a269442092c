import { recordAudits } from '../../audit/record.ts';
import { hashOf } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/times.ts';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { Caller } from '../../http/context.ts';
import { endJwts } from './issued-jwts.ts';

/** The cause of an end of access: the caller, the reason and the time. */
export interface Ending {
  /** The application that made the call, or `policy`. */
  by: string;
  /** The administrator who made the call in the console. */
  administratorId?: string | undefined;
  reason: 'revoked' | 'suspended' | 'deleted' | 'replayed';
  now: number;
}

/** Returns the ending that a call of the Management API causes. */
export const endedBy = ({ applicationId, userId }: Caller, reason: Ending['reason'], now: number): Ending => ({
  by: applicationId,
  administratorId: userId,
  reason,
  now,
});

/** Upper limit for the lifetime of an access token: the maximum `accessTokenTtl`, plus one hour for clock changes. */
const LONGEST_TOKEN_MS = 25 * HOUR_MS;

/**
 * Revokes the active impersonations that match, each with an audit row, and returns their number. `issuedAt` bounds the
 * search, because a user may have years of past impersonations.
 */
export async function endImpersonations(
  store: TenantStore,
  which: Condition,
  { by, administratorId, reason, now }: Ending,
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
      payload: { impersonationId: id, reason, administratorId },
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
    // A pending sign-in stays: oidc-provider ends the previous user's session in the middle of one.
    await store.removeWhere('oidcPayloads', (row) => row.where({ grantId }).whereIn('model', GIVEN_BY_GRANTS));
    await endJwts(store, { grantId }, now);
  });

/**
 * Ends a user's sessions (also in the console), grants, refresh tokens and access tokens, so that anyone who knew the
 * old password is signed out everywhere. Impersonations of the user belong to their actors and stay active.
 *
 * @param exceptUid `uid` of the session in which the password was changed, which stays
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
 * Ends all access of a user, and all access to the user's account: sessions (also in the console), grants, refresh
 * tokens, access tokens, and the unspent subject tokens and active impersonations with the user as subject or actor.
 * Called for a suspension and before a deletion.
 */
export async function endAccess(store: TenantStore, userId: string, ending: Ending): Promise<void> {
  await endSessions(store, userId, ending);
  // One query each for subject and actor. Rejected: one condition with OR, for which SQLite reads the whole tenant.
  const unspent = { spentAt: null, revokedAt: null };
  await store.change('subjectTokens', { userId, ...unspent }, { revokedAt: ending.now });
  await store.change('subjectTokens', { actorId: userId, ...unspent }, { revokedAt: ending.now });
  for (const role of [{ subjectId: userId }, { actorId: userId }])
    await endImpersonations(store, (one) => one.where(role), ending);
}
