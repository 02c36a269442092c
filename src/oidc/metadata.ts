import type { RequestHandler } from 'express';
import { contextOf } from '../http/context.ts';
import type { ManagementAccess } from '../tokens/resources/management-access.ts';
import type { SystemApi } from '../tokens/urns.ts';

const OF_ISSUER = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/[^?]*?)?\/oidc\/?(?=\?|$)/;
const OF_RESOURCE = /^\/\.well-known\/oauth-protected-resource(\/[^?]*?)?\/api\/?(?=\?|$)/;

/**
 * Rewrites well-known URLs of RFC 8414 §3.1 and RFC 9728 §3.1, which insert the name before the path of the issuer or
 * resource, into URLs below that path, so that the tenant can be found by it.
 */
export const insertedMetadataPath: RequestHandler = (request, _response, next) => {
  if (request.url.startsWith('/.well-known/')) {
    request.url = request.url
      .replace(OF_ISSUER, (_, name: string, path = '') => `${path}/oidc/.well-known/${name}`)
      .replace(OF_RESOURCE, (_, path = '') => `${path}/api/.well-known/oauth-protected-resource`);
    request.originalUrl = request.url;
  }
  next();
};

/** Serves the protected resource metadata of one of our APIs (RFC 9728 §2). Mounted at its well-known path. */
export function protectedResourceMetadata({ name, path, scope }: SystemApi, access: ManagementAccess): RequestHandler {
  return async (request, response) => {
    const { tenant } = contextOf(request);
    const [indicator] = await access.audiencesOf(tenant);
    response.set({ 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' });
    response.json({
      resource: indicator,
      resource_name: name,
      authorization_servers: [tenant.issuer],
      scopes_supported: [scope],
      bearer_methods_supported: ['header'],
      resource_documentation: `${tenant.endpoint}${path}/docs`,
    });
  };
}
