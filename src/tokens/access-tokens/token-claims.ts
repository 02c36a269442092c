import { type AccessToken, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type ClaimsInput, type CustomClaims, ScriptFailure } from '../../custom-claims/claims.ts';
import { applicationContext, organizationContext, userContext } from '../../custom-claims/token-claims-input.ts';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Exchange } from '../exchange/exchange.ts';
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
  /** The person it is for; absent for a machine. */
  accountId?: string;
  grantId?: string | undefined;
  gty?: string | undefined;
  sessionUid?: string | undefined;
  organizationId?: string | undefined;
  exchange?: Exchange;
}

/** How a failed script is told to the client: contract, section 4. */
function refusalOf({ result, message }: ScriptFailure): Error {
  if (result === 'denied') return new errors.AccessDenied(message);
  if (result === 'overloaded') {
    const headers = { 'Retry-After': '1' };
    return Object.assign(new errors.TemporarilyUnavailable(message), { statusCode: 503, headers });
  }
  return new errors.InvalidRequest(`Custom claims script error: ${message}`);
}

const extraOf = ({ subjectToken, actor }: Exchange) => ({
  subjectTokenId: subjectToken.id,
  ...(actor && { act: { sub: actor.id } }),
});

/** What a tenant's script says of a token. */
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

  /** @throws what the client is told when the script fails */
  async ofScript(token: TokenDescription): Promise<Record<string, unknown>> {
    const tokenType = token.kind === 'ClientCredentials' ? 'client-credentials' : 'access-token';
    try {
      return await this.#customClaims.claimsFor(this.#store, tokenType, () => this.#inputOf(token));
    } catch (error) {
      throw error instanceof ScriptFailure ? refusalOf(error) : error;
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
 * The script's claims, the standard ones over them, and `act` and `organization_id` last, so that no
 * script can set what the service answers for. RFC 8693 §4.1.
 */
export function payloadOf(
  ofScript: Record<string, unknown> | undefined,
  standard: Record<string, unknown>,
  { organizationId, exchange }: Pick<TokenDescription, 'organizationId' | 'exchange'>,
): Record<string, unknown> {
  const payload = { ...ofScript, ...standard };
  // RFC 9068 §2.2.3 wants the claim whenever scope was asked for; we always say it.
  payload.scope ??= '';
  if (organizationId !== undefined) payload.organization_id = organizationId;
  if (exchange?.actor) payload.act = { sub: exchange.actor.id };
  return payload;
}

/**
 * The same for the tokens that oidc-provider makes. It asks for claims once for every access token, while it is being
 * signed; they go in with the customizer, as the library takes an object with a member `constructor` for no plain one.
 */
export function claimsOfLibraryTokens(claims: TokenClaims, store: TenantStore) {
  const ofScript = new WeakMap<AccessToken, Record<string, unknown>>();
  return {
    async extraTokenClaims(ctx: KoaContextWithOIDC, token: AccessToken): Promise<undefined> {
      // An opaque token (an actor's) carries no claims that anyone reads.
      if (!token.resourceServer) return;
      const { jti, kind, clientId = '', aud, scope, accountId, grantId, gty, sessionUid } = token;
      const description = { jti, kind, clientId, aud, scope, accountId, grantId, gty, sessionUid };
      try {
        ofScript.set(token, await claims.ofScript(description));
      } catch (error) {
        const { headers } = error as { headers?: Record<string, string> };
        if (headers) ctx.set(headers);
        throw error;
      }
      // The grant ends with a sign-out, suspension or deletion: the script may have run long enough for one.
      if (!(await ctx.oidc.provider.Grant.find(grantId as string)))
        throw new errors.InvalidGrant('the user was signed out, suspended or deleted meanwhile');
    },

    /** The last step before the signature, so what is remembered here is what the token says. */
    async customizer(
      _ctx: KoaContextWithOIDC,
      token: AccessToken,
      structured: { payload: Record<string, unknown> },
    ): Promise<void> {
      structured.payload = payloadOf(ofScript.get(token), structured.payload, {});
      const { jti, grantId, accountId, clientId = '' } = token;
      if (grantId === undefined) return;
      await rememberJwt(store, {
        id: jti,
        grantId,
        accountId,
        clientId,
        expiresAt: Number(structured.payload.exp) * 1000,
      });
    },
  };
}
