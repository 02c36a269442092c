import { type AccessToken, type ClientCredentials, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type ClaimsInput, type CustomClaims, ScriptFailure } from '../../custom-claims/claims.ts';
import { applicationContext, organizationContext, userContext } from '../../custom-claims/token-claims-input.ts';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { TemporarilyUnavailable } from '../endpoint/error-body.ts';
import type { ExchangeParties } from '../endpoint/token-request.ts';
import { rememberJwt } from '../revocation/issued-jwts.ts';
import type { SessionInteractions } from '../session-interactions.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';

/** An access token that is about to be signed. */
export interface TokenDescription {
  jti: string;
  kind: 'AccessToken' | 'ClientCredentials';
  clientId: string;
  aud: string | string[] | undefined;
  scope: string | undefined;
  /** The user it is for; absent for client credentials. */
  accountId?: string;
  grantId?: string | undefined;
  gty?: string | undefined;
  sessionUid?: string | undefined;
  organizationId?: string | undefined;
  exchange?: ExchangeParties;
}

/** The OAuth error for a failed claims script. */
function oauthErrorOf({ result, message }: ScriptFailure): Error {
  if (result === 'denied') return new errors.AccessDenied(message);
  if (result === 'overloaded') return new TemporarilyUnavailable(message, 503, { 'Retry-After': '1' });
  return new errors.InvalidRequest(`Custom claims script error: ${message}`);
}

const extraOf = ({ subjectToken, actor }: ExchangeParties) => ({
  subjectTokenId: subjectToken.id,
  ...(actor && { act: { sub: actor.id } }),
});

/** Runs a tenant's claims script for a token. */
export class TokenClaims {
  readonly #store: TenantStore;
  readonly #cache: TenantCache;
  readonly #customClaims: CustomClaims;
  readonly #interactions: SessionInteractions;

  constructor(store: TenantStore, cache: TenantCache, customClaims: CustomClaims, interactions: SessionInteractions) {
    this.#store = store;
    this.#cache = cache;
    this.#customClaims = customClaims;
    this.#interactions = interactions;
  }

  /** Returns the script's claims. @throws the OAuth error for the client if the script fails */
  async fromScript(token: TokenDescription): Promise<Record<string, unknown>> {
    const tokenType = token.kind === 'ClientCredentials' ? 'client-credentials' : 'access-token';
    try {
      return await this.#customClaims.claimsFor(this.#store, tokenType, () => this.#inputOf(token));
    } catch (error) {
      throw error instanceof ScriptFailure ? oauthErrorOf(error) : error;
    }
  }

  async #inputOf(token: TokenDescription): Promise<ClaimsInput> {
    const { jti, kind, clientId, aud, scope, accountId, grantId, gty, sessionUid, organizationId, exchange } = token;
    const described = { jti, kind, clientId, aud, scope };
    const [store, cache] = [this.#store, this.#cache];
    if (accountId === undefined)
      return { token: described, context: { application: await applicationContext(store, cache, clientId) } };

    const [user, application, organization, interaction] = await Promise.all([
      userContext(store, accountId),
      applicationContext(store, cache, clientId),
      organizationId === undefined ? undefined : organizationContext(store, organizationId),
      this.#interactions.of(sessionUid, accountId),
    ]);
    return {
      token: { ...described, accountId, grantId, gty, ...(exchange && { extra: extraOf(exchange) }) },
      context: {
        user,
        application,
        ...(organization && { organization }),
        ...(interaction && { interaction }),
        ...(exchange && { grant: { type: TOKEN_EXCHANGE, subjectTokenContext: exchange.subjectToken.context } }),
      },
    };
  }
}

/**
 * Returns the payload of an access token: the script's claims, then the standard ones, then `organization_id` and `act`
 * (RFC 8693 §4.1), so that a script cannot set any that the service is responsible for.
 */
export function payloadOf(
  scriptClaims: Record<string, unknown> | undefined,
  standard: Record<string, unknown>,
  { organizationId, exchange }: Pick<TokenDescription, 'organizationId' | 'exchange'>,
): Record<string, unknown> {
  const payload = { ...scriptClaims, ...standard };
  // RFC 9068 §2.2.3 requires the claim if a scope was requested. Our tokens always have it.
  payload.scope ??= '';
  if (organizationId !== undefined) payload.organization_id = organizationId;
  if (exchange?.actor) payload.act = { sub: exchange.actor.id };
  return payload;
}

/**
 * Adds the script's claims to access tokens of oidc-provider. `extraTokenClaims`, called once per token, only runs the
 * script. The customizer adds its claims, because the library refuses those with a member named `constructor` there.
 */
export function claimsOfLibraryTokens(claims: TokenClaims, store: TenantStore) {
  const scriptClaims = new WeakMap<object, Record<string, unknown>>();
  return {
    async extraTokenClaims(ctx: KoaContextWithOIDC, token: AccessToken | ClientCredentials): Promise<undefined> {
      // An opaque token has no claims that a resource server reads.
      if (token.kind === 'ClientCredentials' || !token.resourceServer) return;
      const { jti, kind, clientId = '', aud, scope, accountId, grantId, gty, sessionUid } = token;
      const description = { jti, kind, clientId, aud, scope, accountId, grantId, gty, sessionUid };
      scriptClaims.set(token, await claims.fromScript(description));
      // A sign-out, suspension or deletion during the script has ended the grant.
      if (!(await ctx.oidc.provider.Grant.find(grantId)))
        throw new errors.InvalidGrant('the user was signed out, suspended or deleted during the request');
    },

    /** Runs last before signing, so the expiry recorded here is the token's. */
    async customizer(
      _ctx: KoaContextWithOIDC,
      token: AccessToken | ClientCredentials,
      structured: { payload: Record<string, unknown> },
    ): Promise<void> {
      structured.payload = payloadOf(scriptClaims.get(token), structured.payload, {});
      if (token.kind === 'ClientCredentials') return;
      const { jti: id, grantId, accountId, clientId = '' } = token;
      await rememberJwt(store, { id, grantId, accountId, clientId, expiresAt: Number(structured.payload.exp) * 1000 });
    },
  };
}
