import { type Organizations, organizationAudience } from './organizations.ts';
import { DEFAULT_TTL_SECONDS, type ResourceServers, unavailableResource } from './resource-servers.ts';

/** The resources and organizations for which tokens can be requested. */
export interface Targets {
  resourceServers: ResourceServers;
  organizations: Organizations;
}

/** Audience, lifetime and obtainable scopes of a user's token. */
export interface UserTarget {
  audience: string;
  /** Seconds. */
  ttl: number;
  /** Scopes that the user has there. */
  held: string[];
}

interface RequestedTarget {
  /** At least one of the two is set. */
  resource: string | undefined;
  organizationId: string | undefined;
}

interface TokenUser {
  userId: string;
  /** Pass these if they were read already. */
  roleIds?: readonly string[] | undefined;
  /** The word for the user in a refusal: `user` or `subject`. */
  who: string;
}

/** Resolves the resource or organization of a user's token. @throws `invalid_target`, or 403 `access_denied` */
export async function userTarget(
  { resourceServers, organizations }: Targets,
  { userId, roleIds, who }: TokenUser,
  { resource, organizationId }: RequestedTarget,
): Promise<UserTarget> {
  if (organizationId !== undefined) {
    await organizations.admitUser(userId, organizationId, who);
    if (resource === undefined) {
      const held = await organizations.scopesOfUser(userId, organizationId);
      return { audience: organizationAudience(organizationId), ttl: DEFAULT_TTL_SECONDS, held };
    }
  }

  const indicator = resource as string;
  const known = await resourceServers.find(indicator);
  // The service's own APIs are for machine-to-machine applications only, not for users or impersonations of them.
  if (!known || known.isMachineOnly) throw unavailableResource(indicator, known);
  const held = await resourceServers.scopesOfUser({ userId, roleIds }, known.id, organizationId);
  return { audience: known.indicator, ttl: known.accessTokenTtl, held };
}
