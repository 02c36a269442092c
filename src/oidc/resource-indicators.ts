import type { KoaContextWithOIDC } from 'oidc-provider';
import type { SigningAlgorithm } from '../tokens/keys/signer.ts';
import { type ResourceServers, unavailableResource } from '../tokens/resources/resource-servers.ts';

/** RFC 8707 for oidc-provider's code grant: finds the resource and the scopes that the user has on it. */
export function resourceIndicators(resourceServers: ResourceServers, alg: SigningAlgorithm) {
  async function heldScopes({ oidc: { account, route } }: KoaContextWithOIDC, resourceId: string): Promise<string[]> {
    // A sign-in may request any scope of the resource. Each token then gets the scopes that the user has at that time.
    if (!account || route !== 'token') return resourceServers.scopeNames(resourceId);
    return resourceServers.scopesOfUser({ userId: account.accountId }, resourceId);
  }

  return {
    enabled: true,
    useGrantedResource: async () => false,

    /** None: a user's token without a resource is opaque, so it can be an actor token. The types do not allow none. */
    defaultResource: async () => undefined as never,

    async getResourceServerInfo(ctx: KoaContextWithOIDC, indicator: string) {
      const resource = await resourceServers.find(indicator);
      // The service's own APIs are for machine-to-machine applications only.
      if (!resource || resource.isMachineOnly) throw unavailableResource(indicator, resource);
      return {
        audience: indicator,
        scope: (await heldScopes(ctx, resource.id)).join(' '),
        accessTokenTTL: resource.accessTokenTtl,
        accessTokenFormat: 'jwt' as const,
        jwt: { sign: { alg } },
      };
    },
  };
}
