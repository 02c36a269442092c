import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AuditEntry } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Tenant } from '../tenants.ts';
import { exchangeOf } from './exchange.ts';
import { TOKEN_EXCHANGE } from './urns.ts';

/** Where plain token issue is recorded: in batches, after the answer. */
export interface TokenAudit {
  add(tenantId: string, entry: AuditEntry): void;
}

const KEYS: Record<string, string> = {
  authorization_code: 'ExchangeTokenBy.AuthorizationCode',
  refresh_token: 'ExchangeTokenBy.RefreshToken',
  client_credentials: 'ExchangeTokenBy.ClientCredentials',
  [TOKEN_EXCHANGE]: 'ExchangeTokenBy.TokenExchange',
};

function entryOf(ctx: KoaContextWithOIDC, now: number): Omit<AuditEntry, 'result' | 'payload'> {
  const { params, client, entities } = ctx.oidc;
  return {
    key: KEYS[String(params?.grant_type)] ?? 'ExchangeTokenBy.Unknown',
    applicationId: client?.clientId ?? null,
    userId: entities.Account?.accountId ?? null,
    ip: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, 512) || null,
    requestId: ctx.get('x-request-id') || null,
    createdAt: now,
  };
}

/** An exchange that was refused, with the subject token as far as it was found. */
function refusedImpersonation(ctx: KoaContextWithOIDC): Partial<AuditEntry> & { payload: Record<string, unknown> } {
  const { subjectToken, actor } = exchangeOf(ctx) ?? {};
  return {
    key: 'Impersonation.Refused',
    userId: subjectToken?.userId,
    actorId: actor?.id,
    payload: { subjectTokenId: subjectToken?.id, context: subjectToken?.context },
  };
}

/**
 * Records every token issued or refused. A successful exchange is not recorded here: its row is
 * written with the spend.
 */
export function auditTokens(provider: Provider, tenant: Tenant, audit: TokenAudit, clock: Clock): void {
  provider.on('grant.success', (ctx) => {
    const { params } = ctx.oidc;
    if (params?.grant_type === TOKEN_EXCHANGE) return;
    const { scope } = ctx.body as { scope?: string };
    audit.add(tenant.id, {
      ...entryOf(ctx, clock()),
      result: 'Success',
      payload: { resource: params?.resource, scope },
    });
  });
  provider.on('grant.error', (ctx, error) => {
    const entry = entryOf(ctx, clock());
    const refused = ctx.oidc.params?.grant_type === TOKEN_EXCHANGE ? refusedImpersonation(ctx) : { payload: {} };
    const reason = { error: error.message, description: error.error_detail ?? error.error_description };
    audit.add(tenant.id, { ...entry, ...refused, result: 'Error', payload: { ...reason, ...refused.payload } });
  });
}
