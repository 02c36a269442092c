import type { Provider } from 'oidc-provider';
import type { Tenant } from '../tenants.ts';
import { clientCredentials } from './client-credentials.ts';
import { JwtAccessTokens } from './jwt-access-token.ts';
import type { ProviderCollaborators, ProviderParts } from './provider.ts';
import { refresh } from './refresh.ts';
import { RefreshTokens } from './refresh-tokens.ts';
import { SpendQueue } from './spend.ts';
import { tokenExchange } from './token-exchange.ts';
import type { Grant } from './token-request.ts';
import { TOKEN_EXCHANGE } from './urns.ts';

export interface OwnGrantsParts extends ProviderParts {
  /** Finds tokens that oidc-provider has issued, such as actor tokens. */
  provider: Provider;
}

/** The grants that `TokenEndpoint` serves, by `grant_type`. */
export function ownGrants(
  { store, issuer }: Tenant,
  { keys, clients, claims, resourceServers, organizations, provider }: OwnGrantsParts,
  { cache, clock, secrets, tracing }: ProviderCollaborators,
): Record<string, Grant> {
  const [signer] = keys.signers;
  if (!signer) throw new Error('the tenant has no signing key');
  const accessTokens = new JwtAccessTokens({ issuer, signer, claims, clock });
  const spends = new SpendQueue(store, clock);
  const targets = { resourceServers, organizations };
  const refreshTokens = new RefreshTokens({ store, secrets, clock });
  const exchange = tokenExchange({ ...targets, store, cache, clock, accessTokens, spends, provider, clients });
  const issue: Grant['issue'] = (request) => spends.during(() => exchange.issue(request));
  return {
    client_credentials: clientCredentials({ ...targets, accessTokens }),
    refresh_token: refresh({ ...targets, store, clock, provider, accessTokens, refreshTokens }),
    [TOKEN_EXCHANGE]: {
      ...exchange,
      issue: tracing ? (request) => tracing.span({ name: 'token exchange' }, () => issue(request)) : issue,
    },
  };
}
