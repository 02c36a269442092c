import type { NextFunction, Request, Response } from 'express';
import { ServiceError } from '../errors.ts';
import type { Tenant } from '../tenants.ts';
import { contextOf } from './context.ts';

/** The claims of a verified access token that matter here. */
export interface VerifiedToken {
  sub?: string;
  clientId?: string;
  scopes: ReadonlySet<string>;
}

export interface AuthenticateOptions {
  /** Signature, issuer, audience, `typ` and times are right, or it throws. */
  verify(tenant: Tenant, token: string): Promise<VerifiedToken>;
  /** That the token must hold. */
  scope: string;
  /** Of the API, below the endpoint: `/api`. */
  path: string;
  /** Whether the application still lives and still holds that scope. */
  isEntitled(tenant: Tenant, applicationId: string): Promise<boolean>;
}

/** RFC 6750 §3, with the pointer of RFC 9728 §5.1 to what the client must know. */
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

/** RFC 6750 §2.1: the token of the Authorization header, and nowhere else. */
function bearerToken(header: string | undefined, headers: (error?: string) => Record<string, string>): string {
  if (!header) throw new ServiceError('auth.authorization_header_missing', { headers: headers() });
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  if (token) return token;
  throw new ServiceError('auth.authorization_token_type_not_supported', {
    data: { supportedTypes: ['Bearer'] },
    headers: headers('invalid_request'),
  });
}

/** Express middleware: sets `caller` in the request's context or answers 401 or 403. */
export function authenticate({ verify, isEntitled, scope, path }: AuthenticateOptions) {
  return async (request: Request, _response: Response, next: NextFunction): Promise<void> => {
    const context = contextOf(request);
    const headers = (error?: string, needed?: string) => challenge(context.tenant, path, error, needed);
    const token = bearerToken(request.headers.authorization, headers);
    const { sub, clientId, scopes } = await verify(context.tenant, token).catch((error: unknown) => {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError('auth.unauthorized', { headers: headers('invalid_token') });
    });
    if (!sub) throw new ServiceError('auth.jwt_sub_missing', { headers: headers('invalid_token') });
    // Only a machine speaks for itself: `sub` = `client_id`. A user's token never opens this door.
    if (sub !== clientId || !scopes.has(scope) || !(await isEntitled(context.tenant, sub))) {
      throw new ServiceError('auth.forbidden', {
        message: `This API needs the access token of a machine-to-machine application that holds the scope ${scope}.`,
        data: { scope },
        headers: headers('insufficient_scope', scope),
      });
    }
    context.caller = { applicationId: sub, scopes };
    next();
  };
}
