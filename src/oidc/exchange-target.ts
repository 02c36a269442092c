import { errors } from 'oidc-provider';
import type { FoundSubjectToken } from '../database/statements/find-subject-token.ts';
import { DEFAULT_TTL_SECONDS, notMember, organizationAudience, type ResourceServers } from './resource-servers.ts';

/** What a token is for, for how long, and what of it may be asked for. */
export interface ExchangeTarget {
  audience: string;
  /** Seconds. */
  ttl: number;
  /** Scopes the subject holds there. */
  held: string[];
}

/** @throws `invalid_target`, or `access_denied` where the subject is no member of the organization */
export async function exchangeTarget(
  resourceServers: ResourceServers,
  { userId, roleIds }: FoundSubjectToken,
  { resource, organizationId }: { resource: string | undefined; organizationId: string | undefined },
): Promise<ExchangeTarget> {
  if (organizationId !== undefined) {
    const held = await resourceServers.organizationScopesOfUser(userId, organizationId);
    if (!held) throw notMember('subject');
    if (resource === undefined)
      return { audience: organizationAudience(organizationId), ttl: DEFAULT_TTL_SECONDS, held };
  }

  const known = await resourceServers.find(resource as string);
  // The Management API is for machines: nobody reaches it by acting as someone.
  if (!known || known.isForMachines) throw new errors.InvalidTarget('resource is not registered, or not open to users');
  const held = await resourceServers.scopesOfUser({ userId, roleIds }, known.id, organizationId);
  return { audience: known.indicator, ttl: known.accessTokenTtl, held };
}
