import { errors } from 'oidc-provider';
import { newId } from '../ids.ts';
import type { JwtAccessTokens } from './jwt-access-token.ts';
import {
  DEFAULT_TTL_SECONDS,
  grantedScopes,
  notMember,
  organizationAudience,
  type ResourceServers,
} from './resource-servers.ts';
import type { Grant } from './token-request.ts';
import { ORGANIZATION } from './urns.ts';

export interface ClientCredentialsCollaborators {
  resourceServers: ResourceServers;
  accessTokens: JwtAccessTokens;
}

/**
 * A machine in its own name. It gets what its roles hold on the resource, and of that what it asks for.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4 RFC 6749 §4.4}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8707.html#section-2.2 RFC 8707 §2.2, the resource}
 */
export function clientCredentials({ resourceServers, accessTokens }: ClientCredentialsCollaborators): Grant {
  /** Only this grant has a default: a user's token without a resource stays opaque, to be an actor token. */
  async function audienceOf(resource: string | undefined, organizationId: string | undefined): Promise<string> {
    if (resource !== undefined) return resource;
    if (organizationId !== undefined) return organizationAudience(organizationId);
    const indicator = await resourceServers.defaultIndicator();
    if (indicator === undefined)
      throw new errors.InvalidTarget('resource is required: this tenant has no default resource');
    return indicator;
  }

  async function targetOf(clientId: string, audience: string) {
    if (audience.startsWith(ORGANIZATION)) {
      const organizationId = audience.slice(ORGANIZATION.length);
      const held = await resourceServers.organizationScopesOfApplication(clientId, organizationId);
      if (!held) throw notMember('application');
      return { held, organizationId, ttl: DEFAULT_TTL_SECONDS };
    }
    const known = await resourceServers.find(audience);
    if (!known) throw new errors.InvalidTarget('resource is not registered');
    return { held: await resourceServers.scopesOfApplication(clientId, known.id), ttl: known.accessTokenTtl };
  }

  return {
    parameters: ['resource', 'scope', 'organization_id'],

    async issue({ client: { client_id: clientId }, params }) {
      const aud = await audienceOf(params.resource, params.organization_id);
      const { held, organizationId, ttl } = await targetOf(clientId, aud);
      const scope = grantedScopes(params.scope, held);
      const token = { jti: newId(), kind: 'ClientCredentials', clientId, aud, scope, organizationId } as const;
      const { jwt } = await accessTokens.issue(token, ttl);
      return { response: { access_token: jwt, token_type: 'Bearer', expires_in: ttl, scope }, audience: aud };
    },
  };
}
