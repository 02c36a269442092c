import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AuditEntry } from '../../audit/record.ts';
import type { TokenAudit } from '../../audit/token-audit.ts';
import type { Clock } from '../../base/clock.ts';
import { type RequestFacts, requestFactsOf } from '../../http/context.ts';
import type { Tenant } from '../../tenants.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import { admissionOf } from './admission.ts';

/** A map: what a client names a grant may also be the name of something every object has. */
const KEYS: ReadonlyMap<unknown, string> = new Map([
  ['authorization_code', 'ExchangeTokenBy.AuthorizationCode'],
  ['refresh_token', 'ExchangeTokenBy.RefreshToken'],
  ['client_credentials', 'ExchangeTokenBy.ClientCredentials'],
  [TOKEN_EXCHANGE, 'ExchangeTokenBy.TokenExchange'],
]);

/** Who asked for a token, by which grant. */
export interface Asked {
  grantType: unknown;
  /** As far as it was found, whether it proved itself or not. */
  clientId: string | undefined;
  userId?: string | undefined;
  /** Name of the secret that the client proved itself with; never the value. */
  secretName?: string | undefined;
  facts: RequestFacts;
}

const entryOf = ({ grantType, clientId, userId, facts }: Asked, now: number) => ({
  key: KEYS.get(grantType) ?? 'ExchangeTokenBy.Unknown',
  applicationId: clientId,
  userId,
  ...facts,
  createdAt: now,
});

/** A successful exchange is not recorded so: its row is written with the spend. */
export const issuedEntry = (asked: Asked, payload: { resource: unknown; scope: unknown }, now: number): AuditEntry => ({
  ...entryOf(asked, now),
  result: 'Success',
  payload: { ...payload, secretName: asked.secretName },
});

/** @param exchange as far as it came */
export function refusedEntry(
  asked: Asked,
  error: errors.OIDCProviderError,
  now: number,
  exchange?: Exchange,
): AuditEntry {
  const { subjectToken, actor } = exchange ?? {};
  const payload = {
    error: error.message,
    description: error.error_detail ?? error.error_description,
    secretName: asked.secretName,
  };
  const entry = { ...entryOf(asked, now), result: 'Error' as const };
  if (asked.grantType !== TOKEN_EXCHANGE) return { ...entry, payload };
  return {
    ...entry,
    key: 'Impersonation.Refused',
    userId: subjectToken?.userId,
    actorId: actor?.id,
    payload: { ...payload, subjectTokenId: subjectToken?.id, context: subjectToken?.context },
  };
}

const secretNames = new WeakMap<object, string>();

/** Keeps the name of the secret that the client of this request proved itself with. */
export const rememberSecret = (ctx: object, secretName: string): void => void secretNames.set(ctx, secretName);

const askedOf = (ctx: KoaContextWithOIDC): Asked => ({
  grantType: ctx.oidc.params?.grant_type,
  clientId: ctx.oidc.client?.clientId,
  userId: ctx.oidc.entities.Account?.accountId,
  secretName: secretNames.get(ctx),
  facts: requestFactsOf(ctx.req),
});

/** Records every token that the library issues or refuses. */
export function auditTokens(provider: Provider, tenant: Tenant, audit: TokenAudit, clock: Clock): void {
  provider.on('grant.success', (ctx) => {
    const { scope } = ctx.body as { scope?: string };
    audit.add(tenant.id, issuedEntry(askedOf(ctx), { resource: ctx.oidc.params?.resource, scope }, clock()));
  });
  provider.on('grant.error', (ctx, error) => {
    const asked = askedOf(ctx);
    const isKnown = admissionOf(ctx.req)?.isProven || asked.userId !== undefined;
    audit[isKnown ? 'add' : 'addStranger'](tenant.id, refusedEntry(asked, error, clock()));
  });
}
