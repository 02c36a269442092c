import { errors, type Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { eventContextOf } from './complete.ts';
import type { Flow } from './flow.ts';
import type { Interaction } from './open-flow.ts';
import { recordUserAudit } from './record-events.ts';

/** The scopes and claims of oidc-provider's prompt that are not granted yet. */
interface MissingConsent {
  missingOIDCScope?: string[];
  missingOIDCClaims?: string[];
  missingResourceScopes?: Record<string, string[]>;
}

const missingIn = ({ prompt }: Interaction): MissingConsent => prompt.details as MissingConsent;

export interface RequestedAccess {
  scopes: string[];
  resources: { indicator: string; scopes: string[] }[];
}

/** Returns the requested scopes in the order of the request, `openid` first. */
export function requestedAccessOf(interaction: Interaction): RequestedAccess {
  const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
  return {
    scopes: missingOIDCScope,
    resources: Object.entries(missingResourceScopes).map(([indicator, scopes]) => ({ indicator, scopes })),
  };
}

/** Adds the requested scopes to the grant of this user and application. @returns the grant's id */
export async function allow(provider: Provider, interaction: Interaction, flow: Flow): Promise<string> {
  const { grantId, session, params } = interaction;
  const accountId = session?.accountId as string;
  const known = grantId ? await provider.Grant.find(grantId) : undefined;
  const grant = known ?? new provider.Grant({ accountId, clientId: String(params.client_id) });
  Object.assign(grant, { sessionUid: session?.uid });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes = {} } = missingIn(interaction);
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [indicator, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(indicator, scopes.join(' '));
  }
  const requested = requestedAccessOf(interaction);
  await recordUserAudit(flow.store, 'SignIn.Consent', accountId, eventContextOf(flow), { ...requested });
  return grant.save().catch((error: unknown) => {
    throw error instanceof errors.LoginRequired ? new ServiceError('session.not_found') : error;
  });
}
