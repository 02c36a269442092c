import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { refreshedOrganization, requestedOrganization } from './organization-tokens.ts';
import { organizationAudience, type ResourceServers, resourceServerInfo } from './resource-servers.ts';
import { ORGANIZATION } from './urns.ts';

const notMember = (who: string) =>
  Object.assign(new errors.AccessDenied(`the ${who} is not a member of the organization`), { statusCode: 403 });

const isMachineGrant = (ctx: KoaContextWithOIDC): boolean => ctx.oidc.params?.grant_type === 'client_credentials';

/** RFC 8707 for the grants of the library: what a resource is, and which of its scopes the asker holds. */
export function resourceIndicators(resourceServers: ResourceServers, algorithm: string) {
  /** Organization scopes of whoever asks, in an organization they belong to. */
  async function organizationScopes(
    ctx: KoaContextWithOIDC,
    clientId: string,
    organizationId: string,
  ): Promise<string[]> {
    if (isMachineGrant(ctx)) {
      const scopes = await resourceServers.organizationScopesOfApplication(clientId, organizationId);
      if (!scopes) throw notMember('application');
      return scopes;
    }
    const { account } = ctx.oidc;
    const scopes = account && (await resourceServers.organizationScopesOfUser(account.accountId, organizationId));
    if (!scopes) throw notMember('user');
    return scopes;
  }

  async function heldScopes(
    ctx: KoaContextWithOIDC,
    clientId: string,
    resourceId: string,
    organizationId?: string,
  ): Promise<string[]> {
    if (isMachineGrant(ctx)) return resourceServers.scopesOfApplication(clientId, resourceId);
    const { account } = ctx.oidc;
    // At sign-in the whole resource may be asked for; each token then carries what is held at that moment.
    if (!account || ctx.oidc.route !== 'token') return resourceServers.scopeNames(resourceId);
    return resourceServers.scopesOfUser({ userId: account.accountId }, resourceId, organizationId);
  }

  return {
    enabled: true,
    useGrantedResource: async () => false,

    /** Only machines have a default: a user's token without a resource stays opaque, to be an actor token. */
    async defaultResource(ctx: KoaContextWithOIDC, _client: unknown, oneOf?: readonly string[]) {
      if (oneOf || !isMachineGrant(ctx)) return undefined as never; // The typings leave "none" out.
      const organizationId = requestedOrganization(ctx);
      if (organizationId !== undefined) return organizationAudience(organizationId);
      const indicator = await resourceServers.defaultIndicator();
      if (indicator === undefined)
        throw new errors.InvalidTarget('resource is required: this tenant has no default resource');
      return indicator;
    },

    async getResourceServerInfo(ctx: KoaContextWithOIDC, indicator: string, { clientId }: { clientId: string }) {
      const refreshed = refreshedOrganization(ctx);
      const organizationId = indicator.startsWith(ORGANIZATION) ? indicator.slice(ORGANIZATION.length) : refreshed;
      if (organizationId !== undefined && (isMachineGrant(ctx) || refreshed !== undefined)) {
        const scopes = await organizationScopes(ctx, clientId, organizationId);
        if (indicator.startsWith(ORGANIZATION))
          return resourceServerInfo({ audience: indicator, scope: scopes.join(' '), algorithm });
      }

      const resource = await resourceServers.find(indicator);
      // The service's own APIs are for machines: no grant of a user reaches them.
      if (!resource || (resource.isForMachines && !isMachineGrant(ctx)))
        throw new errors.InvalidTarget('resource is not registered, or not open to users');
      const held = await heldScopes(ctx, clientId, resource.id, organizationId);
      return resourceServerInfo({
        audience: indicator,
        scope: held.join(' '),
        ttl: resource.accessTokenTtl,
        algorithm,
      });
    },
  };
}
