import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { isStored } from './ended-records.ts';

/**
 * Returns the client's grant in this session. First-party applications get consent without a page: the requested scopes
 * are added here. The user's roles are checked for each token, so removing a role takes effect at once.
 */
export async function loadExistingGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, provider, account } = ctx.oidc;
  if (!client || !session || !account) return undefined;
  const grantId = ctx.oidc.result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  const existing = grantId ? await provider.Grant.find(grantId) : undefined;
  if (client.is_third_party) return existing;

  const grant = existing ?? new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
  if (isStored(session)) Object.assign(grant, { sessionUid: session.uid });
  const before = JSON.stringify([grant.openid, grant.resources]);
  grant.addOIDCScope([...ctx.oidc.requestParamOIDCScopes].join(' '));
  for (const [indicator, server] of Object.entries(ctx.oidc.resourceServers ?? {})) {
    grant.addResourceScope(
      indicator,
      [...ctx.oidc.requestParamScopes].filter((scope) => server.scopes.has(scope)).join(' '),
    );
  }
  if (!existing || JSON.stringify([grant.openid, grant.resources]) !== before) await grant.save();
  return grant;
}
