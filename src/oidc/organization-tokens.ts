import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { ORGANIZATION } from './urns.ts';

/** Without it a refresh token says nothing of organizations. */
const ORGANIZATIONS_SCOPE = 'urn:logto:scope:organizations';

/** `organization_id` is a parameter of Logto's, beside the standard ones. */
function requestedOrganization(ctx: KoaContextWithOIDC): string | undefined {
  const value = (ctx.oidc.body as Record<string, unknown> | undefined)?.organization_id;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The organization that a refresh names. @throws `invalid_scope` when the refresh token was not given for organizations */
export function refreshedOrganization(ctx: KoaContextWithOIDC): string | undefined {
  if (ctx.oidc.params?.grant_type !== 'refresh_token') return undefined;
  const organizationId = requestedOrganization(ctx);
  const refreshToken = ctx.oidc.entities.RefreshToken;
  if (organizationId !== undefined && refreshToken && !refreshToken.scopes.has(ORGANIZATIONS_SCOPE)) {
    throw new errors.InvalidScope(`refresh token lacks scope ${ORGANIZATIONS_SCOPE}`, ORGANIZATIONS_SCOPE);
  }
  return organizationId;
}

/** A refresh for an organization alone asks for the resource that stands for it. @returns the body to forward */
export function namedOrganizationAsResource(body: Buffer): Buffer {
  const text = body.toString();
  if (!text.includes('organization_id') || !text.includes('refresh_token')) return body;
  const form = new URLSearchParams(text);
  const organizationId = form.get('organization_id');
  if (form.get('grant_type') !== 'refresh_token' || !organizationId || form.has('resource')) return body;
  form.set('resource', `${ORGANIZATION}${organizationId}`);
  return Buffer.from(form.toString());
}

/** Every organization is among the resources of a grant that was given for organizations: membership decides at each use. */
class ResourcesAndOrganizations extends Set<string> {
  override has(resource: string): boolean {
    return super.has(resource) || resource.startsWith(ORGANIZATION);
  }
}

/** Teaches a provider's models that organizations are resources nobody had to ask for at sign-in. */
export function allowOrganizations(provider: Provider): void {
  Object.defineProperty(provider.RefreshToken.prototype, 'resourceIndicators', {
    get(this: { resource?: string | string[]; scopes: Set<string> }) {
      const own = [this.resource].flat().filter((resource) => resource !== undefined);
      return this.scopes.has(ORGANIZATIONS_SCOPE) ? new ResourcesAndOrganizations(own) : new Set(own);
    },
  });
  const { getResourceScopeFiltered } = provider.Grant.prototype;
  provider.Grant.prototype.getResourceScopeFiltered = function (
    this: InstanceType<Provider['Grant']>,
    resource: string,
    filter: Set<string>,
  ) {
    return resource.startsWith(ORGANIZATION)
      ? [...filter].join(' ')
      : getResourceScopeFiltered.call(this, resource, filter as never);
  } as never;
}
