import type { SubjectTokenRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import { hashOf, newId, newSubjectToken } from '../ids.ts';
import { checkMint, readImpersonationPolicy } from './impersonation-policy.ts';

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
 * @throws 422 `user.suspended`, or `impersonation.…` where the tenant's policy refuses
 */
export async function mintSubjectToken(
  store: TenantStore,
  { userId, creatorId, context = {}, clientId, actorId, resource }: Mint,
  now: number,
): Promise<{ subjectToken: string; expiresIn: number }> {
  const user = await store.find('users', { id: userId });
  if (!user) throw new ServiceError('entity.relation_foreign_key_not_found');
  if (user.isSuspended) throw new ServiceError('user.suspended');
  const policy = await readImpersonationPolicy(store);
  await checkMint(store, policy, { userId, actorId, context });

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
      expiresAt: now + policy.subjectTokenTtl * 1000,
    },
  ]);
  return { subjectToken, expiresIn: policy.subjectTokenTtl };
}

export type FoundSubjectToken = SubjectTokenRow & { isSubjectSuspended: boolean; roleIds: string[] };

/**
 * With its user and the ids of the user's roles, in one query. A subject token without a user does
 * not exist: it goes with them.
 */
export async function findSubjectToken(store: TenantStore, token: string): Promise<FoundSubjectToken | undefined> {
  const rows = (await store
    .from('subjectTokens')
    .join(store.rows('users'), 'users.id', 'subjectTokens.userId')
    .leftJoin(store.rows('userRoles'), 'userRoles.userId', 'subjectTokens.userId')
    .where({ tokenHash: hashOf(token) })
    .select(
      'subjectTokens.*',
      'users.isSuspended as isSuspended',
      'userRoles.roleId as roleId',
    )) as (SubjectTokenRow & {
    isSuspended: boolean;
    roleId: string | null;
  })[];
  const [first] = rows;
  if (!first) return undefined;
  const { isSuspended, roleId: _, ...found } = first;
  return { ...found, isSubjectSuspended: isSuspended, roleIds: rows.flatMap(({ roleId }) => roleId ?? []) };
}

/** Why it cannot be exchanged, in words for the client that holds it; undefined when it can. */
export function refusalOf(found: FoundSubjectToken, now: number): string | undefined {
  if (found.spentAt !== null) return 'subject token was already used';
  if (found.revokedAt !== null) return 'subject token was revoked';
  if (found.expiresAt <= now) return 'subject token has expired';
  if (found.isSubjectSuspended) return 'the subject is suspended or no longer exists';
  return undefined;
}
