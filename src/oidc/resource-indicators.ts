import type { KoaContextWithOIDC } from 'oidc-provider';
import { notOpen, type ResourceServers, resourceServerInfo } from '../tokens/resources/resource-servers.ts';

/** RFC 8707 for the code grant of the library: what a resource is, and which of its scopes the user holds. */
export function resourceIndicators(resourceServers: ResourceServers, algorithm: string) {
  async function heldScopes({ oidc: { account, route } }: KoaContextWithOIDC, resourceId: string): Promise<string[]> {
    // At sign-in the whole resource may be asked for; each token then carries what is held at that moment.
    if (!account || route !== 'token') return resourceServers.scopeNames(resourceId);
    return resourceServers.scopesOfUser({ userId: account.accountId }, resourceId);
  }

  return {
    enabled: true,
    useGrantedResource: async () => false,

    /** None: a user's token without a resource stays opaque, to be an actor token. The typings leave that out. */
    defaultResource: async () => undefined as never,

    async getResourceServerInfo(ctx: KoaContextWithOIDC, indicator: string) {
      const resource = await resourceServers.find(indicator);
      // The service's own APIs are for machines: no grant of a user reaches them.
      if (!resource || resource.isForMachines) throw notOpen(indicator, resource);
      const held = await heldScopes(ctx, resource.id);
      return resourceServerInfo({
        audience: indicator,
        scope: held.join(' '),
        ttl: resource.accessTokenTtl,
        algorithm,
      });
    },
  };
}
