import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AuditEntry } from '../../audit/record.ts';
import type { TokenAudit } from '../../audit/token-audit.ts';
import type { Clock } from '../../base/clock.ts';
import { type RequestFacts, requestFactsOf } from '../../http/context.ts';
import type { Tenant } from '../../tenants.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import { admissionOf } from './admission.ts';
import type { ExchangeParties } from './token-request.ts';

/** Audit key by grant type. A Map, because a client may send a name of `Object.prototype` as its grant type. */
const KEYS: ReadonlyMap<unknown, string> = new Map([
  ['authorization_code', 'ExchangeTokenBy.AuthorizationCode'],
  ['refresh_token', 'ExchangeTokenBy.RefreshToken'],
  ['client_credentials', 'ExchangeTokenBy.ClientCredentials'],
  [TOKEN_EXCHANGE, 'ExchangeTokenBy.TokenExchange'],
]);

/** A token request as the audit log records it. */
export interface AuditedRequest {
  grantType: unknown;
  /** The named client if it exists, authenticated or not. */
  clientId: string | undefined;
  userId?: string | undefined;
  /** Name of the secret that the client authenticated with; never the value. */
  secretName?: string | undefined;
  facts: RequestFacts;
}

const entryOf = ({ grantType, clientId, userId, facts }: AuditedRequest, now: number) => ({
  key: KEYS.get(grantType) ?? 'ExchangeTokenBy.Unknown',
  applicationId: clientId,
  userId,
  ...facts,
  createdAt: now,
});

/** The audit entry of an issued token. Not for an exchange, whose row is written in the transaction of the spend. */
export const issuedEntry = (
  request: AuditedRequest,
  payload: { resource: unknown; scope: unknown },
  now: number,
): AuditEntry => ({
  ...entryOf(request, now),
  result: 'Success',
  payload: { ...payload, secretName: request.secretName },
});

/** The audit entry of a refused token request. @param exchange its subject token and actor, as far as known */
export function refusedEntry(
  request: AuditedRequest,
  error: errors.OIDCProviderError,
  now: number,
  exchange?: ExchangeParties,
): AuditEntry {
  const { subjectToken, actor } = exchange ?? {};
  const payload = {
    error: error.message,
    description: error.error_detail ?? error.error_description,
    secretName: request.secretName,
  };
  const entry = { ...entryOf(request, now), result: 'Error' as const };
  if (request.grantType !== TOKEN_EXCHANGE) return { ...entry, payload };
  return {
    ...entry,
    key: 'Impersonation.Refused',
    userId: subjectToken?.userId,
    actorId: actor?.id,
    payload: { ...payload, subjectTokenId: subjectToken?.id, context: subjectToken?.context },
  };
}

const secretNames = new WeakMap<object, string>();

/** Remembers the name of the secret that the client of this request authenticated with. */
export const rememberSecret = (ctx: object, secretName: string): void => void secretNames.set(ctx, secretName);

const requestOf = (ctx: KoaContextWithOIDC): AuditedRequest => ({
  grantType: ctx.oidc.params?.grant_type,
  clientId: ctx.oidc.client?.clientId,
  userId: ctx.oidc.entities.Account?.accountId,
  secretName: secretNames.get(ctx),
  facts: requestFactsOf(ctx.req),
});

/** Records every token that oidc-provider issues or refuses. */
export function auditTokens(provider: Provider, tenant: Tenant, audit: TokenAudit, clock: Clock): void {
  provider.on('grant.success', (ctx) => {
    const { scope } = ctx.body as { scope?: string };
    audit.add(tenant.id, issuedEntry(requestOf(ctx), { resource: ctx.oidc.params?.resource, scope }, clock()));
  });
  provider.on('grant.error', (ctx, error) => {
    const request = requestOf(ctx);
    const isKnown = admissionOf(ctx.req)?.isProven || request.userId !== undefined;
    audit[isKnown ? 'add' : 'addAnonymous'](tenant.id, refusedEntry(request, error, clock()));
  });
}
