import { recordAudit } from '../audit/record.ts';
import { secondsOf } from '../clock.ts';
import type { ImpersonationRow, SubjectTokenRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import { hashOf, newId, newSubjectToken } from '../ids.ts';

/**
 * Seconds a subject token may be exchanged after it was minted. Short, because whoever holds it
 * becomes the subject; long enough for a person to switch windows.
 */
export const SUBJECT_TOKEN_TTL_SECONDS = 600;

export interface Mint {
  userId: string;
  creatorId: string;
  context?: Record<string, unknown> | undefined;
  clientId?: string | undefined;
  actorId?: string | undefined;
  resource?: string | undefined;
}

/**
 * @throws 404 `entity.relation_foreign_key_not_found` for an unknown user
 * @throws 422 `user.suspended`
 */
export async function mintSubjectToken(
  store: TenantStore,
  { userId, creatorId, context = {}, clientId, actorId, resource }: Mint,
  now: number,
): Promise<{ subjectToken: string; expiresIn: number }> {
  const user = await store.find('users', { id: userId });
  if (!user) throw new ServiceError('entity.relation_foreign_key_not_found');
  if (user.isSuspended) throw new ServiceError('user.suspended');

  const subjectToken = newSubjectToken();
  await store.add('subjectTokens', [
    {
      id: newId(),
      tokenHash: hashOf(subjectToken),
      userId,
      context,
      clientId: clientId ?? null,
      actorId: actorId ?? null,
      resource: resource ?? null,
      creatorId,
      createdAt: now,
      expiresAt: now + SUBJECT_TOKEN_TTL_SECONDS * 1000,
    },
  ]);
  return { subjectToken, expiresIn: SUBJECT_TOKEN_TTL_SECONDS };
}

export type FoundSubjectToken = SubjectTokenRow & { isSubjectSuspended: boolean };

/** With its user, in one query. A subject token without a user does not exist: it goes with them. */
export async function findSubjectToken(store: TenantStore, token: string): Promise<FoundSubjectToken | undefined> {
  const row = await store
    .from('subjectTokens')
    .join(store.rows('users'), 'users.id', 'subjectTokens.userId')
    .where({ tokenHash: hashOf(token) })
    .first('subjectTokens.*', 'users.isSuspended as isSuspended');
  if (!row) return undefined;
  const { isSuspended, ...found } = row as SubjectTokenRow & { isSuspended: boolean };
  return { ...found, isSubjectSuspended: isSuspended };
}

/** Why it cannot be exchanged, in words for the client that holds it; undefined when it can. */
export function refusalOf(found: FoundSubjectToken, now: number): string | undefined {
  if (found.spentAt !== null) return 'subject token was already used';
  if (found.revokedAt !== null) return 'subject token was revoked';
  if (found.expiresAt <= now) return 'subject token has expired';
  if (found.isSubjectSuspended) return 'the subject is suspended or no longer exists';
  return undefined;
}

export interface Spend {
  impersonation: Omit<ImpersonationRow, 'tenantId' | 'revokedAt' | 'revokedBy'>;
  requestId: string | undefined;
}

/** Present users of the tenant who are not suspended, as a condition on a column that names one. */
const liveUser = (store: TenantStore, userId: string) =>
  store.from('users').where({ id: userId, isSuspended: false }).select('id');

/**
 * True for one caller only, ever. The update matches an unspent, unrevoked, unexpired token whose
 * subject and actor are still there and not suspended, or nothing; the impersonation and its audit
 * row are written with it.
 */
export function spendSubjectToken(
  store: TenantStore,
  { impersonation, requestId }: Spend,
  now: number,
): Promise<boolean> {
  const { subjectTokenId, subjectId, actorId } = impersonation;
  return store.transaction(async (store) => {
    const spent = await store.changeWhere(
      'subjectTokens',
      (token) => {
        token.where({ id: subjectTokenId, spentAt: null, revokedAt: null }).where('expiresAt', '>', now);
        token.whereExists(liveUser(store, subjectId));
        if (actorId !== null) token.whereExists(liveUser(store, actorId));
      },
      { spentAt: now },
    );
    if (spent !== 1) return false;
    await store.add('impersonations', [impersonation]);
    await recordAudit(store, {
      key: 'Impersonation.Begin',
      result: 'Success',
      applicationId: impersonation.applicationId,
      userId: subjectId,
      actorId,
      ip: impersonation.ip,
      userAgent: impersonation.userAgent,
      requestId,
      payload: {
        impersonationId: impersonation.id,
        subjectTokenId,
        resource: impersonation.resource,
        organizationId: impersonation.organizationId,
        scope: impersonation.scope,
        context: impersonation.context,
        expiresAt: secondsOf(impersonation.expiresAt),
      },
      createdAt: now,
    });
    return true;
  });
}
