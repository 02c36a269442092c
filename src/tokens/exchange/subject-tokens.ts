import { hashOf, newOrderedId, newSubjectToken } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { subjectById } from './find-subject.ts';
import { type FoundSubjectToken, subjectTokenByHash } from './find-subject-token.ts';
import { checkMint, policyOf } from './impersonation-policy.ts';

/** The request for a subject token. */
export interface SubjectTokenRequest {
  userId: string;
  creatorId: string;
  context?: Record<string, unknown> | undefined;
  clientId?: string | undefined;
  actorId?: string | undefined;
  resource?: string | undefined;
}

/**
 * Mints a subject token. Only its hash is stored.
 *
 * @throws 404 `entity.relation_foreign_key_not_found` for an unknown user
 * @throws 422 `user.suspended`, or `impersonation.…` if the tenant's policy refuses
 */
export async function mintSubjectToken(
  store: TenantStore,
  { userId, creatorId, context = {}, clientId, actorId, resource }: SubjectTokenRequest,
  now: number,
): Promise<{ subjectToken: string; expiresIn: number }> {
  const subject = await store.readOne(subjectById, { id: userId });
  if (!subject) throw foreignKeyNotFound('userId');
  if (subject.isSuspended) throw new ServiceError('user.suspended');
  const policy = policyOf(subject.settings);
  await checkMint(store, policy, { subject, actorId, context });

  const subjectToken = newSubjectToken();
  await store.add('subjectTokens', [
    {
      id: newOrderedId(now),
      tokenHash: hashOf(subjectToken),
      userId,
      context,
      clientId: clientId ?? null,
      actorId: actorId ?? null,
      resource: resource ?? null,
      creatorId,
      createdAt: now,
      expiresAt: now + policy.subjectTokenTtl * 1000,
    },
  ]);
  return { subjectToken, expiresIn: policy.subjectTokenTtl };
}

export const findSubjectToken = (store: TenantStore, token: string): Promise<FoundSubjectToken | undefined> =>
  store.readOne(subjectTokenByHash, { token_hash: hashOf(token) });

/** Returns why a subject token cannot be exchanged, as an error description, or undefined if it can. */
export function refusalOf(found: FoundSubjectToken, now: number): string | undefined {
  if (found.spentAt !== null) return 'subject token was already used';
  if (found.revokedAt !== null) return 'subject token was revoked';
  if (found.expiresAt <= now) return 'subject token has expired';
  if (found.isSubjectSuspended) return 'the subject is suspended or no longer exists';
  return undefined;
}
