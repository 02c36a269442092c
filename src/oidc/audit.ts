import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AuditEntry } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Tenant } from '../tenants.ts';
import type { FoundSubjectToken } from './subject-tokens.ts';
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

/**
 * Records every token issued or refused. A successful exchange is not recorded here: its row is
 * written with the spend.
 *
 * @returns records a refused impersonation
 */
export function auditTokens(provider: Provider, tenant: Tenant, audit: TokenAudit, clock: Clock) {
  provider.on('grant.success', (ctx) => {
    if (ctx.oidc.params?.grant_type === TOKEN_EXCHANGE) return;
    const { params } = ctx.oidc;
    const body = ctx.body as { scope?: string } | undefined;
    audit.add(tenant.id, {
      ...entryOf(ctx, clock()),
      result: 'Success',
      payload: { resource: params?.resource, scope: body?.scope },
    });
  });
  provider.on('grant.error', (ctx, error) => {
    audit.add(tenant.id, {
      ...entryOf(ctx, clock()),
      result: 'Error',
      payload: { error: error.message, description: error.error_detail ?? error.error_description },
    });
  });

  return (ctx: KoaContextWithOIDC, subjectToken: FoundSubjectToken | undefined, reason: string): void => {
    audit.add(tenant.id, {
      ...entryOf(ctx, clock()),
      key: 'Impersonation.Refused',
      result: 'Error',
      userId: subjectToken?.userId ?? null,
      payload: { reason, subjectTokenId: subjectToken?.id, context: subjectToken?.context },
    });
  };
}
