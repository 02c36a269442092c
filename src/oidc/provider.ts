import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { TokenAudit } from '../audit/token-audit.ts';
import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { CustomClaims } from '../custom-claims/claims.ts';
import type { TenantCache } from '../database/notices/tenant-cache.ts';
import type { SharedLimits } from '../http/rate-limits/shared-limits.ts';
import type { Logger } from '../observe/logger.ts';
import type { Tracing } from '../observe/tracing.ts';
import type { Tenant } from '../tenants.ts';
import { claimsOfLibraryTokens, type TokenClaims } from '../tokens/access-tokens/token-claims.ts';
import { CLAIMS_BY_SCOPE, findAccount, OIDC_SCOPES } from '../tokens/account.ts';
import { CLIENT_EXTRAS, type Clients, isOwnOrigin } from '../tokens/clients/clients.ts';
import { CONSOLE_CLIENT_ID } from '../tokens/clients/console-client.ts';
import { answerUnavailable, errorBody } from '../tokens/endpoint/error-body.ts';
import type { ObserveToken } from '../tokens/endpoint/metrics.ts';
import { logFailure } from '../tokens/endpoint/record.ts';
import type { SigningKeys } from '../tokens/keys/signing-keys.ts';
import type { ManagementAccess } from '../tokens/resources/management-access.ts';
import type { Organizations } from '../tokens/resources/organizations.ts';
import type { ResourceServers } from '../tokens/resources/resource-servers.ts';
import { structuredTokens } from '../tokens/revocation/structured-tokens.ts';
import type { SessionInteractions } from '../tokens/session-interactions.ts';
import { TOKEN_EXCHANGE } from '../tokens/urns.ts';
import type { adapterFor } from './adapter.ts';
import { loadExistingGrant } from './consent.ts';
import { keepEnded } from './ended-records.ts';
import { protectPages } from './page-headers.ts';
import { resourceIndicators } from './resource-indicators.ts';

/** Renders the pages that oidc-provider needs outside an interaction, as whole documents. */
export interface ProviderPages {
  error(
    ctx: KoaContextWithOIDC,
    tenant: Tenant,
    error: { error: string; error_description?: string },
  ): string | Promise<string>;
  /** `form` posts the decision; the button needs `form="op.logoutForm" name="logout" value="yes"`. */
  signOut(ctx: KoaContextWithOIDC, tenant: Tenant, form: string): string | Promise<string>;
  signedOut(ctx: KoaContextWithOIDC, tenant: Tenant): string | Promise<string>;
}

export interface ProviderCollaborators {
  cache: TenantCache;
  secrets: SecretBox;
  clock: Clock;
  logger: Logger;
  customClaims: CustomClaims;
  audit: TokenAudit;
  rateLimits: SharedLimits;
  access: ManagementAccess;
  pages: ProviderPages;
  observe?: ObserveToken | undefined;
  tracing?: Tracing | undefined;
}

/** The parts of a tenant's provider, many of which our own grants share. */
export interface ProviderParts {
  keys: SigningKeys;
  clients: Clients;
  resourceServers: ResourceServers;
  organizations: Organizations;
  adapter: ReturnType<typeof adapterFor>;
  interactions: SessionInteractions;
  claims: TokenClaims;
}

const { Check } = interactionPolicy;

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

function interactionPolicies() {
  const policy = interactionPolicy.base();
  // First-party applications get consent without a page. The remaining checks ask users of third-party ones.
  policy.get('consent')?.checks.remove('native_client_prompt');
  // A browser could remove `prompt=login` from the request, or delay the request until a user has signed in.
  policy
    .get('login')
    ?.checks.add(
      new Check('console_sign_in', 'the console requires a sign-in within the same request', ({ oidc }) =>
        oidc.client?.clientId === CONSOLE_CLIENT_ID && oidc.result?.login === undefined
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}

function configurationOf(
  tenant: Tenant,
  { keys, resourceServers, adapter, interactions, claims }: ProviderParts,
  { secrets, access, pages }: ProviderCollaborators,
): Configuration {
  const { store } = tenant;
  const { protocol, pathname } = new URL(tenant.endpoint);
  const isSecure = protocol === 'https:';
  const cookieOptions = { httpOnly: true, sameSite: 'lax' as const, secure: isSecure, signed: true };
  // A path-prefix tenant shares its host with others, so cookie names contain the tenant.
  const cookie = (name: string, path: '__Host-' | '') => `${isSecure ? path : ''}${tenant.id}_${name}`;
  const ownToken = (_ctx: unknown, client: { clientId: string }, token: { clientId?: string }) =>
    token.clientId === client.clientId;
  // A client may introspect its own tokens. One that may call the Management API, which returns all of this, may any.
  const mayIntrospect = async (ctx: unknown, client: { clientId: string }, token: { clientId?: string }) =>
    ownToken(ctx, client, token) || (await access.isEntitled(tenant, client.clientId));
  const mount = pathname.replace(/(?<!\/)\/+$/, '');
  const { extraTokenClaims, customizer } = claimsOfLibraryTokens(claims, store);

  return {
    adapter,
    jwks: { keys: keys.signers },
    clientDefaults: { id_token_signed_response_alg: keys.algorithm as never },
    // Include the algorithms of keys that only verify, so that an old `id_token_hint` is accepted until they retire.
    enabledJWA: { idTokenSigningAlgValues: [...new Set(keys.signers.map(({ alg }) => alg))] },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraClientMetadata: { properties: CLIENT_EXTRAS },
    scopes: [...OIDC_SCOPES],
    claims: CLAIMS_BY_SCOPE,
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    // OAuth 2.1 §4.1.1. Only a confidential client can opt out.
    pkce: { required: (_ctx, client) => client.require_pkce !== false },
    findAccount: (_ctx, id) => findAccount(store, id),
    async loadExistingGrant(ctx) {
      await interactions.remember(ctx);
      return loadExistingGrant(ctx);
    },
    clientBasedCORS: (_ctx, origin, client) => isOwnOrigin(origin, client.metadata()),
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') &&
      (source.scopes.has('offline_access') || client.always_issue_refresh_token === true),
    extraTokenClaims,
    formats: { customizers: { jwt: customizer } },
    extraParams: ['first_screen', 'organization_id'],
    interactions: { policy: interactionPolicies(), url: (_ctx, { uid }) => `${mount}/sign-in/${uid}` },
    cookies: {
      names: {
        session: cookie('session', '__Host-'),
        interaction: cookie('interaction', ''),
        resume: cookie('resume', ''),
      },
      long: cookieOptions,
      short: cookieOptions,
      keys: secrets.derive(`cookies:${tenant.id}`),
    },
    renderError: async (ctx, out, error) => {
      if (answerUnavailable(ctx, error)) return; // Rendering a page needs the database.
      ctx.type = 'html';
      ctx.body = await pages.error(ctx, tenant, out);
    },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 60 * MINUTE,
      AuthorizationCode: MINUTE,
      IdToken: (_ctx, _token, client) => Number(client.id_token_ttl),
      Interaction: 60 * MINUTE,
      RefreshToken: (_ctx, _token, client) => Number(client.refresh_token_ttl_days) * DAY,
      // A session without a user only serves a sign-out request of a browser that is not signed in.
      Session: (_ctx, { accountId }) => (accountId ? 14 * DAY : 60 * MINUTE),
      Grant: 180 * DAY,
    },
    features: {
      devInteractions: { enabled: false },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      // Disabled, and absent from discovery, until it covers every grant including token exchange.
      dPoP: { enabled: false },
      introspection: { enabled: true, allowedPolicy: mayIntrospect },
      revocation: { enabled: true, allowedPolicy: ownToken },
      userinfo: { enabled: true },
      resourceIndicators: resourceIndicators(resourceServers, keys.algorithm),
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx, form) => {
          ctx.body = await pages.signOut(ctx, tenant, form);
        },
        postLogoutSuccessSource: async (ctx) => {
          ctx.body = await pages.signedOut(ctx, tenant);
        },
      },
    },
  };
}

/** Creates an oidc-provider configured for one tenant. Its keys are fixed; a change of keys needs a new provider. */
export function createProvider(tenant: Tenant, parts: ProviderParts, collaborators: ProviderCollaborators): Provider {
  const { clock, logger, access } = collaborators;
  const { keys, clients } = parts;
  const provider = new Provider(tenant.issuer, configurationOf(tenant, parts, collaborators));
  provider.proxy = true; // The forwarded headers are set by `library-request.ts`.

  keepEnded(provider, tenant.store, clock);
  // An application has several secrets, and any live one authenticates it.
  provider.Client.prototype.compareClientSecret = async function (actual) {
    return (await clients.nameOfSecret(this.clientId, actual)) !== undefined;
  };

  provider.use(protectPages);
  provider.use(errorBody);
  provider.use(structuredTokens({ tenant, keys, access, clock }));
  for (const grantType of ['client_credentials', 'refresh_token', TOKEN_EXCHANGE])
    provider.registerGrantType(grantType, () => {
      throw new errors.UnsupportedGrantType(); // Only registered so that it is known. Our own endpoint issues its tokens.
    });
  provider.on('server_error', (ctx, err) => {
    if (ctx.oidc.route === 'token') return; // The token endpoint records its failures.
    answerUnavailable(ctx, err);
    logFailure(logger, { err, requestId: ctx.get('x-request-id'), path: ctx.path, tenantId: tenant.id });
  });
  return provider;
}
