import type { Provider } from 'oidc-provider';
import type { Tenant } from '../tenants.ts';
import { JwtAccessTokens } from '../tokens/access-tokens/jwt-access-token.ts';
import { clientCredentials } from '../tokens/client-credentials.ts';
import type { GrantType } from '../tokens/endpoint/token-request.ts';
import { ActorTokens } from '../tokens/exchange/actor-token.ts';
import { spendQueue } from '../tokens/exchange/spend-queue.ts';
import { tokenExchange } from '../tokens/exchange/token-exchange.ts';
import { refresh } from '../tokens/refresh/refresh.ts';
import { RefreshTokens } from '../tokens/refresh/refresh-tokens.ts';
import { TOKEN_EXCHANGE } from '../tokens/urns.ts';
import { codeGrant } from './code-grant.ts';
import type { ProviderCollaborators, ProviderParts } from './provider.ts';

/** The grants of the token endpoint, by `grant_type`. The provider finds tokens that oidc-provider has issued. */
export function grantsOf(
  tenant: Tenant,
  { keys, clients, claims, resourceServers, organizations, provider }: ProviderParts & { provider: Provider },
  { cache, clock, secrets, tracing }: ProviderCollaborators,
): ReadonlyMap<string, GrantType> {
  const { store, issuer } = tenant;
  const [signer] = keys.signers;
  if (!signer) throw new Error('the tenant has no signing key');
  const accessTokens = new JwtAccessTokens({ issuer, signer, claims, clock });
  const spends = spendQueue(store, clock);
  const targets = { resourceServers, organizations };
  const refreshTokens = new RefreshTokens({ store, secrets, clock });
  const actorTokens = new ActorTokens({ store, secrets, clock, clients });
  const exchange = tokenExchange({ ...targets, store, cache, clock, accessTokens, spends, actorTokens });
  const traced: GrantType['issue'] = (request) =>
    tracing ? tracing.span({ name: 'token exchange' }, () => exchange.issue(request)) : exchange.issue(request);
  return new Map<string, GrantType>([
    ['authorization_code', codeGrant(provider, tenant)],
    ['client_credentials', clientCredentials({ ...targets, accessTokens })],
    ['refresh_token', refresh({ ...targets, store, clock, provider, accessTokens, refreshTokens })],
    [TOKEN_EXCHANGE, { ...exchange, issue: traced }],
  ]);
}
