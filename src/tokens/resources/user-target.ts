import { type Organizations, organizationAudience } from './organizations.ts';
import { DEFAULT_TTL_SECONDS, notOpen, type ResourceServers } from './resource-servers.ts';

/** Where tokens may be asked for, and by whom. */
export interface Targets {
  resourceServers: ResourceServers;
  organizations: Organizations;
}

/** Audience, lifetime and obtainable scopes of a user's token. */
export interface UserTarget {
  audience: string;
  /** Seconds. */
  ttl: number;
  /** Scopes the user holds there. */
  held: string[];
}

interface Named {
  /** One of the two at least. */
  resource: string | undefined;
  organizationId: string | undefined;
}

interface TokenUser {
  userId: string;
  /** May be given where they were read already. */
  roleIds?: readonly string[] | undefined;
  /** In words, for a refusal: `user`, `subject`. */
  who: string;
}

/** @throws `invalid_target`, or 403 `access_denied` where the organization does not admit the user */
export async function userTarget(
  { resourceServers, organizations }: Targets,
  { userId, roleIds, who }: TokenUser,
  { resource, organizationId }: Named,
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
  // The service's own APIs are for machines: nobody reaches one as a user, or by acting as one.
  if (!known || known.isForMachines) throw notOpen(indicator, known);
  const held = await resourceServers.scopesOfUser({ userId, roleIds }, known.id, organizationId);
  return { audience: known.indicator, ttl: known.accessTokenTtl, held };
}
