import type { NextFunction, Request, Response } from 'express';
import { ServiceError } from '../errors.ts';
import type { Tenant } from '../tenants.ts';
import { contextOf } from './context.ts';

/** Who calls the Management API: a machine-to-machine application of this tenant. */
export interface Caller {
  applicationId: string;
  scopes: ReadonlySet<string>;
}

/** The claims of a verified access token that matter here. */
export interface VerifiedToken {
  sub?: string;
  clientId?: string;
  scopes: ReadonlySet<string>;
}

export interface AuthenticateOptions {
  /** Signature, issuer, audience, `typ` and times are right, or it throws. */
  verify(tenant: Tenant, token: string): Promise<VerifiedToken>;
  /** Whether the application still lives and still holds the Management API scope. */
  isEntitled(tenant: Tenant, applicationId: string): Promise<boolean>;
}

const challenge = (error?: string) => ({ 'WWW-Authenticate': error ? `Bearer error="${error}"` : 'Bearer' });

/** RFC 6750 §2.1: the token of the Authorization header, and nowhere else. */
function bearerToken(header: string | undefined): string {
  if (!header) throw new ServiceError('auth.authorization_header_missing', { headers: challenge() });
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  if (token) return token;
  throw new ServiceError('auth.authorization_token_type_not_supported', {
    data: { supportedTypes: ['Bearer'] },
    headers: challenge('invalid_request'),
  });
}

/** Express middleware: sets `caller` in the request's context or answers 401 or 403. */
export function authenticate({ verify, isEntitled }: AuthenticateOptions) {
  return async (request: Request, _response: Response, next: NextFunction): Promise<void> => {
    const context = contextOf(request);
    const token = bearerToken(request.headers.authorization);
    const { sub, clientId, scopes } = await verify(context.tenant, token).catch((error: unknown) => {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError('auth.unauthorized', { headers: challenge('invalid_token') });
    });
    if (!sub) throw new ServiceError('auth.jwt_sub_missing', { headers: challenge('invalid_token') });
    // Only a machine speaks for itself: `sub` = `client_id`. A user's token never opens this door.
    if (sub !== clientId || !scopes.has('all') || !(await isEntitled(context.tenant, sub))) {
      throw new ServiceError('auth.forbidden', { headers: challenge('insufficient_scope') });
    }
    context.caller = { applicationId: sub, scopes };
    next();
  };
}
