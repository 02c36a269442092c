import type { NextFunction, Request, Response } from 'express';
import { ServiceError } from '../errors.ts';
import type { Tenant } from '../tenants.ts';
import { contextOf } from './context.ts';

/** The claims of a verified access token that authentication needs. */
export interface VerifiedToken {
  sub?: string;
  clientId?: string;
  scopes: ReadonlySet<string>;
}

export interface AuthenticateOptions {
  /** Resolves to undefined unless signature, issuer, audience, `typ` and times are valid. Rejects if it cannot tell. */
  verify(tenant: Tenant, token: string): Promise<VerifiedToken | undefined>;
  /** The required scope. */
  scope: string;
  /** Path of the API below the endpoint, such as `/api`. */
  path: string;
  /** Resolves to true if the application still exists and still has the scope. */
  isEntitled(tenant: Tenant, applicationId: string): Promise<boolean>;
}

/** Returns the challenge of RFC 6750 §3, with the link to the resource metadata of RFC 9728 §5.1. */
function challenge({ endpoint }: Tenant, path: string, error?: string, scope?: string): Record<string, string> {
  const { origin, pathname } = new URL(endpoint + path);
  const attributes = {
    ...(error && { error }),
    ...(scope && { scope }),
    resource_metadata: `${origin}/.well-known/oauth-protected-resource${pathname}`,
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return { 'WWW-Authenticate': `Bearer ${written.join(', ')}` };
}

/** Returns the bearer token from the Authorization header, the only accepted place (RFC 6750 §2.1). */
function bearerToken(header: string | undefined, headers: (error?: string) => Record<string, string>): string {
  if (!header) throw new ServiceError('auth.authorization_header_missing', { headers: headers() });
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  if (token) return token;
  throw new ServiceError('auth.authorization_token_type_not_supported', {
    data: { supportedTypes: ['Bearer'] },
    headers: headers('invalid_request'),
  });
}

/** Returns middleware that sets `caller` in the request's context, or responds 401 or 403. */
export function authenticate({ verify, isEntitled, scope, path }: AuthenticateOptions) {
  return async (request: Request, _response: Response, next: NextFunction): Promise<void> => {
    const context = contextOf(request);
    const headers = (error?: string, needed?: string) => challenge(context.tenant, path, error, needed);
    const token = bearerToken(request.headers.authorization, headers);
    const verified = await verify(context.tenant, token);
    if (!verified) throw new ServiceError('auth.unauthorized', { headers: headers('invalid_token') });
    const { sub, clientId, scopes } = verified;
    if (!sub) throw new ServiceError('auth.jwt_sub_missing', { headers: headers('invalid_token') });
    // The token must be an application's own (`sub` = `client_id`). A token of a user is never accepted.
    if (sub !== clientId || !scopes.has(scope) || !(await isEntitled(context.tenant, sub))) {
      throw new ServiceError('auth.forbidden', {
        message: `This API requires the access token of a machine-to-machine application with the scope ${scope}.`,
        data: { scope },
        headers: headers('insufficient_scope', scope),
      });
    }
    context.caller = { applicationId: sub, scopes, role: 'owner' };
    next();
  };
}
