import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { refreshedOrganization } from './organization-tokens.ts';
import { notMember, organizationAudience, type ResourceServers, resourceServerInfo } from './resource-servers.ts';

/** RFC 8707 for the grants of the library: what a resource is, and which of its scopes the person holds. */
export function resourceIndicators(resourceServers: ResourceServers, algorithm: string) {
  async function organizationScopes({ oidc: { account } }: KoaContextWithOIDC, organizationId: string) {
    const scopes = account && (await resourceServers.organizationScopesOfUser(account.accountId, organizationId));
    if (!scopes) throw notMember('user');
    return scopes;
  }

  async function heldScopes(
    { oidc: { account, route } }: KoaContextWithOIDC,
    resourceId: string,
    organizationId?: string,
  ): Promise<string[]> {
    // At sign-in the whole resource may be asked for; each token then carries what is held at that moment.
    if (!account || route !== 'token') return resourceServers.scopeNames(resourceId);
    return resourceServers.scopesOfUser({ userId: account.accountId }, resourceId, organizationId);
  }

  return {
    enabled: true,
    useGrantedResource: async () => false,

    /** None: a user's token without a resource stays opaque, to be an actor token. The typings leave that out. */
    defaultResource: async () => undefined as never,

    async getResourceServerInfo(ctx: KoaContextWithOIDC, indicator: string) {
      const organizationId = refreshedOrganization(ctx);
      if (organizationId !== undefined) {
        const scopes = await organizationScopes(ctx, organizationId);
        if (indicator === organizationAudience(organizationId))
          return resourceServerInfo({ audience: indicator, scope: scopes.join(' '), algorithm });
      }

      const resource = await resourceServers.find(indicator);
      // The service's own APIs are for machines: no grant of a user reaches them.
      if (!resource || resource.isForMachines)
        throw new errors.InvalidTarget('resource is not registered, or not open to users');
      const held = await heldScopes(ctx, resource.id, organizationId);
      return resourceServerInfo({
        audience: indicator,
        scope: held.join(' '),
        ttl: resource.accessTokenTtl,
        algorithm,
      });
    },
  };
}
