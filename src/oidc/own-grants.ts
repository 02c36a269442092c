import type { Provider } from 'oidc-provider';
import type { Tenant } from '../tenants.ts';
import { JwtAccessTokens } from '../tokens/access-tokens/jwt-access-token.ts';
import { clientCredentials } from '../tokens/client-credentials.ts';
import type { OwnGrant } from '../tokens/endpoint/token-request.ts';
import { SpendQueue } from '../tokens/exchange/spend-queue.ts';
import { tokenExchange } from '../tokens/exchange/token-exchange.ts';
import { refresh } from '../tokens/refresh/refresh.ts';
import { RefreshTokens } from '../tokens/refresh/refresh-tokens.ts';
import { TOKEN_EXCHANGE } from '../tokens/urns.ts';
import type { ProviderCollaborators, ProviderParts } from './provider.ts';

/** The grants that `TokenEndpoint` serves, by `grant_type`. The provider finds tokens that oidc-provider has issued. */
export function ownGrants(
  { store, issuer }: Tenant,
  { keys, clients, claims, resourceServers, organizations, provider }: ProviderParts & { provider: Provider },
  { cache, clock, secrets, tracing }: ProviderCollaborators,
): Record<string, OwnGrant> {
  const [signer] = keys.signers;
  if (!signer) throw new Error('the tenant has no signing key');
  const accessTokens = new JwtAccessTokens({ issuer, signer, claims, clock });
  const spends = new SpendQueue(store, clock);
  const targets = { resourceServers, organizations };
  const refreshTokens = new RefreshTokens({ store, secrets, clock });
  const exchange = tokenExchange({ ...targets, store, cache, clock, accessTokens, spends, provider, clients });
  const issue: OwnGrant['issue'] = (request) => spends.during(() => exchange.issue(request));
  return {
    client_credentials: clientCredentials({ ...targets, accessTokens }),
    refresh_token: refresh({ ...targets, store, clock, provider, accessTokens, refreshTokens }),
    [TOKEN_EXCHANGE]: {
      ...exchange,
      issue: tracing ? (request) => tracing.span({ name: 'token exchange' }, () => issue(request)) : issue,
    },
  };
}
