import { ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Tenant } from '../tenants.ts';
import { GrantFailure, type GrantType, type TokenResponse } from '../tokens/endpoint/token-request.ts';
import { forceCanonicalHost, restoreBody } from './library-request.ts';

/** oidc-provider turns errors into responses. This keeps them for the steps of our own endpoint. */
function keepError({ state }: KoaContextWithOIDC, error: Error): void {
  state.error = error;
}

/**
 * The authorization code grant. oidc-provider issues its tokens: its token endpoint runs on a response that is never
 * sent. It checks the client again.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3 RFC 6749 §4.1.3}
 */
export function codeGrant(provider: Provider, tenant: Tenant): GrantType {
  const routes = provider.middleware.at(-1);
  provider.on('grant.error', keepError).on('server_error', keepError);

  return {
    parameters: [],

    async issue({ request, form }) {
      forceCanonicalHost(request, tenant);
      request.headers.accept = 'application/json';
      restoreBody(request, stringify(form));
      const ctx = provider.createContext(request, new ServerResponse(request));
      await routes?.(ctx, async () => {});
      const { entities, params }: KoaContextWithOIDC['oidc'] = ctx.oidc;
      const userId = entities.Account?.accountId;
      if (ctx.state.error) throw new GrantFailure(ctx.state.error, { userId });
      return { response: ctx.body as TokenResponse, audience: params?.resource, userId };
    },
  };
}
