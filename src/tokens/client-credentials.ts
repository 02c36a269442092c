import { errors } from 'oidc-provider';
import { newId } from '../base/ids.ts';
import type { JwtAccessTokens } from './access-tokens/jwt-access-token.ts';
import type { GrantType } from './endpoint/token-request.ts';
import { organizationAudience } from './resources/organizations.ts';
import { DEFAULT_TTL_SECONDS, grantedScopes, unavailableResource } from './resources/resource-servers.ts';
import type { Targets } from './resources/user-target.ts';

export interface ClientCredentialsCollaborators extends Targets {
  accessTokens: JwtAccessTokens;
}

/**
 * The client credentials grant: an access token for a machine-to-machine application itself. Its scope is the requested
 * scopes that the application's roles have on the resource.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4 RFC 6749 §4.4}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8707.html#section-2.2 RFC 8707 §2.2, `resource`}
 */
export function clientCredentials({
  resourceServers,
  organizations,
  accessTokens,
}: ClientCredentialsCollaborators): GrantType {
  /** Only this grant has a default: a user's token without a resource stays opaque, so it can be an actor token. */
  async function defaultResource(): Promise<string> {
    const indicator = await resourceServers.defaultIndicator();
    if (indicator === undefined)
      throw new errors.InvalidTarget('resource is required: this tenant has no default resource');
    return indicator;
  }

  async function targetOf(clientId: string, resource: string | undefined, organizationId: string | undefined) {
    if (organizationId !== undefined) {
      await organizations.admitApplication(clientId, organizationId);
      if (resource === undefined) {
        const held = await organizations.scopesOfApplication(clientId, organizationId);
        return { aud: organizationAudience(organizationId), held, ttl: DEFAULT_TTL_SECONDS };
      }
    }
    const aud = resource ?? (await defaultResource());
    const known = await resourceServers.find(aud);
    if (!known) throw unavailableResource(aud);
    const held = await resourceServers.scopesOfApplication(clientId, known.id, organizationId);
    return { aud, held, ttl: known.accessTokenTtl };
  }

  return {
    parameters: ['resource', 'scope', 'organization_id'],

    async issue({ client: { client_id: clientId }, params }) {
      const organizationId = params.organization_id;
      const { aud, held, ttl } = await targetOf(clientId, params.resource, organizationId);
      const scope = grantedScopes(params.scope, held);
      const token = { jti: newId(), kind: 'ClientCredentials', clientId, aud, scope, organizationId } as const;
      const { jwt } = await accessTokens.issue(token, ttl);
      return { response: { access_token: jwt, token_type: 'Bearer', expires_in: ttl, scope }, audience: aud };
    },
  };
}
