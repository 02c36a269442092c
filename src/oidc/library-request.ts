import type { Request } from 'express';
import { clientFactsOf, contextOf } from '../http/context.ts';
import type { Tenant } from '../tenants.ts';

/**
 * Replaces Host and the forwarded headers, from which oidc-provider builds its URLs, with the tenant's own. Otherwise a
 * client could make discovery return a `jwks_uri` on another host.
 */
export function forceCanonicalHost(request: Request, { host, protocol }: Tenant): void {
  const { headers } = request;
  headers.host = host;
  headers['x-forwarded-host'] = host;
  headers['x-forwarded-proto'] = protocol;
  headers['x-forwarded-for'] = clientFactsOf(request).ip ?? '';
  headers['x-request-id'] = contextOf(request).requestId;
  delete headers.forwarded;
}

/** Makes the body readable again for oidc-provider. Rejected: a new request, which costs more than this whole file. */
export function restoreBody(request: Request, text: string): void {
  const body = Buffer.from(text);
  request.headers['content-length'] = String(body.length);
  Object.defineProperty(request, 'readable', { value: true });
  Object.defineProperty(request, 'iterator', {
    value: async function* () {
      yield body;
    },
  });
}
