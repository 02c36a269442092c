import { recordAudits } from '../audit/record.ts';
import type { Condition, TenantStore } from '../database/tenant-store.ts';

/** Who ended it: the application whose call it was. */
export interface Ending {
  by: string;
  reason: 'revoked' | 'suspended' | 'deleted' | 'replayed';
  now: number;
}

/** Revokes the running impersonations among these, each with an audit row, and says how many there were. */
export async function endImpersonations(
  store: TenantStore,
  which: Condition,
  { by, reason, now }: Ending,
): Promise<number> {
  const running: Condition = (query) => query.where('expiresAt', '>', now).where({ revokedAt: null }).andWhere(which);
  const ended = await store.from('impersonations').where(running).select('id', 'subjectId', 'actorId');
  if (ended.length === 0) return 0;
  await store.changeWhere('impersonations', running, { revokedAt: now, revokedBy: by });
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

/**
 * Ends what a user holds: sessions, the console's too, grants, refresh tokens and opaque access tokens. Whoever knew the
 * old password is out everywhere. What others were given to act as the user is not the user's, and stays.
 *
 * @param exceptUid the session that the change was made in
 */
export async function endSessions(store: TenantStore, accountId: string, exceptUid?: string): Promise<void> {
  await store.removeAll('consoleSessions', { userId: accountId });
  await store.removeWhere('oidcPayloads', (payload) =>
    payload.where({ accountId }).where((kept) => kept.whereNull('uid').orWhereNot({ uid: exceptUid ?? '' })),
  );
}

/**
 * Ends what a user may still do, or others as them: sessions (of the console too), grants, refresh tokens and opaque access
 * tokens; unspent subject tokens and running impersonations of which they are subject or actor. For a suspension, and
 * before a deletion.
 */
export async function endAccess(store: TenantStore, userId: string, ending: Ending): Promise<void> {
  await endSessions(store, userId);
  await store.changeWhere(
    'subjectTokens',
    (token) =>
      token
        .where({ spentAt: null, revokedAt: null })
        .andWhere((of) => of.where({ userId }).orWhere({ actorId: userId })),
    { revokedAt: ending.now },
  );
  await endImpersonations(store, (of) => of.where({ subjectId: userId }).orWhere({ actorId: userId }), ending);
}
