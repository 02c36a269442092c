import { recordAudits } from '../audit/record.ts';
import type { Condition, TenantStore } from '../database/tenant-store.ts';
import { endJwts } from './issued-jwts.ts';

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

/**
 * Ends what a user may still do, or others as them: sessions (of the console too), grants, refresh tokens and access
 * tokens; unspent subject tokens and running impersonations of which they are subject or actor. For a suspension, and
 * before a deletion.
 */
export async function endAccess(store: TenantStore, userId: string, ending: Ending): Promise<void> {
  await store.removeAll('oidcPayloads', { accountId: userId });
  await endJwts(store, { accountId: userId }, ending.now);
  await store.removeAll('consoleSessions', { userId });
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
