import { type AccessToken, type ClientCredentials, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type ClaimsInput, type CustomClaims, ScriptFailure } from '../custom-claims/claims.ts';
import { applicationContext, organizationContext, userContext } from '../custom-claims/token-claims-input.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { refreshedOrganization } from './organization-tokens.ts';
import type { SessionInteractions } from './session-interactions.ts';
import type { Spend } from './spend.ts';
import { ORGANIZATION, TOKEN_EXCHANGE } from './urns.ts';

type IssuedToken = AccessToken | ClientCredentials;

const organizationIdOf = (ctx: KoaContextWithOIDC, { aud }: IssuedToken): string | undefined => {
  const exchange = exchangeOf(ctx);
  if (exchange) return exchange.organizationId;
  const refreshed = refreshedOrganization(ctx);
  if (refreshed !== undefined) return refreshed;
  return typeof aud === 'string' && aud.startsWith(ORGANIZATION) ? aud.slice(ORGANIZATION.length) : undefined;
};

async function inputOf(
  ctx: KoaContextWithOIDC,
  token: IssuedToken,
  store: TenantStore,
  interactions: SessionInteractions,
): Promise<ClaimsInput> {
  const exchange = exchangeOf(ctx);
  const { jti, kind, clientId, aud, scope } = token;
  const described = { jti, kind, clientId: clientId as string, aud, scope };
  if (token.kind === 'ClientCredentials') {
    return { token: described, context: { application: await applicationContext(store, clientId as string) } };
  }

  const { accountId, grantId, gty, sessionUid } = token;
  const organizationId = organizationIdOf(ctx, token);
  const [user, application, organization, interaction] = await Promise.all([
    userContext(store, accountId),
    applicationContext(store, clientId as string),
    organizationId === undefined ? undefined : organizationContext(store, organizationId),
    interactions.of(sessionUid, accountId),
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

const extraOf = ({ subjectToken, actor }: Exchange) => ({
  subjectTokenId: subjectToken.id,
  ...(actor && { act: { sub: actor.id } }),
});

/** How a failed script is told to the client: contract, section 4. */
function refusalOf(ctx: KoaContextWithOIDC, { result, message }: ScriptFailure): Error {
  if (result === 'denied') return new errors.AccessDenied(message);
  if (result === 'overloaded') {
    ctx.set('Retry-After', '1');
    return Object.assign(new errors.TemporarilyUnavailable(message), { statusCode: 503 });
  }
  return new errors.InvalidRequest(`Custom claims script error: ${message}`);
}

/** What a script returned for a token, until the token is put together. */
const scriptClaims = new WeakMap<IssuedToken, Record<string, unknown>>();

/**
 * oidc-provider asks this once for every access token, while it is being signed. The claims go in
 * with `protectedClaims`: the library takes an object with a member `constructor` for no plain one.
 */
export function extraTokenClaims(store: TenantStore, customClaims: CustomClaims, interactions: SessionInteractions) {
  return async (ctx: KoaContextWithOIDC, token: IssuedToken): Promise<undefined> => {
    // An opaque token (an actor's) carries no claims that anyone reads.
    if (!token.resourceServer) return;
    const tokenType = token.kind === 'ClientCredentials' ? 'client-credentials' : 'access-token';
    try {
      scriptClaims.set(
        token,
        await customClaims.claimsFor(store, tokenType, () => inputOf(ctx, token, store, interactions)),
      );
    } catch (error) {
      throw error instanceof ScriptFailure ? refusalOf(ctx, error) : error;
    }
  };
}

interface StructuredToken {
  payload: Record<string, unknown>;
}

/**
 * The script's claims, the standard ones over them, and `act` and `organization_id` last, so that no
 * script can set what the service answers for. RFC 8693 §4.1.
 */
export function protectedClaims(ctx: KoaContextWithOIDC, token: IssuedToken, structured: StructuredToken): void {
  const payload = { ...scriptClaims.get(token), ...structured.payload };
  const exchange = exchangeOf(ctx);
  const organizationId = organizationIdOf(ctx, token);
  // RFC 9068 §2.2.3 wants the claim whenever scope was asked for; we always say it.
  payload.scope ??= '';
  if (organizationId !== undefined) payload.organization_id = organizationId;
  if (exchange?.actor) payload.act = { sub: exchange.actor.id };
  structured.payload = payload;
}

/** The row of an impersonation, from the token that was just signed. */
export function impersonationOf(ctx: KoaContextWithOIDC, token: AccessToken, exchange: Exchange, now: number): Spend {
  const { subjectToken, actor, organizationId } = exchange;
  return {
    tokenHash: subjectToken.tokenHash,
    impersonation: {
      id: token.jti,
      subjectTokenId: subjectToken.id,
      subjectId: subjectToken.userId,
      actorId: actor?.id ?? null,
      applicationId: token.clientId as string,
      resource: organizationId !== undefined && String(token.aud).startsWith(ORGANIZATION) ? null : String(token.aud),
      organizationId: organizationId ?? null,
      scope: token.scope ?? '',
      context: subjectToken.context,
      ip: ctx.ip,
      userAgent: ctx.get('user-agent').slice(0, 512) || null,
      issuedAt: now,
      expiresAt: (token.exp as number) * 1000, // The token's own, to the second.
    },
    requestId: ctx.get('x-request-id') || undefined,
  };
}
