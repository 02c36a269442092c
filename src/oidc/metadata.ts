import { Router } from 'express';
import { contextOf } from '../http/context.ts';
import { forceCanonicalHost } from './endpoint.ts';
import type { Providers } from './providers.ts';

/**
 * RFC 8414 §3.1: for an issuer with a path the well-known name comes before that path, so this cannot
 * live below `/oidc`. The document itself is the provider's own.
 */
export function wellKnownRoutes(providers: Providers): Router {
  const router = Router();
  router.get('/.well-known/oauth-authorization-server/oidc', async (request, response) => {
    const { tenant } = contextOf(request);
    request.url = '/.well-known/oauth-authorization-server';
    forceCanonicalHost(request, tenant);
    const handle = await providers.handlerOf(tenant);
    await handle(request, response);
  });
  return router;
}
