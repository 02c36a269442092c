import { errors, type Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { auditPerson } from './announce.ts';
import { occasionOf } from './complete.ts';
import type { Flow } from './flow.ts';
import type { Interaction } from './open-flow.ts';

/** What the prompt says is not granted yet. */
interface MissingConsent {
  missingOIDCScope?: string[];
  missingOIDCClaims?: string[];
  missingResourceScopes?: Record<string, string[]>;
}

const missingIn = ({ prompt }: Interaction): MissingConsent => prompt.details as MissingConsent;

export interface Asked {
  scopes: string[];
  resources: { indicator: string; scopes: string[] }[];
}

/** In the order of the request; `openid` first. */
export function askedIn(interaction: Interaction): Asked {
  const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
  return {
    scopes: missingOIDCScope,
    resources: Object.entries(missingResourceScopes).map(([indicator, scopes]) => ({ indicator, scopes })),
  };
}

/** Adds what was asked for to the grant of this person and application. @returns the grant's id */
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
  const asked = askedIn(interaction);
  await auditPerson(flow.store, 'SignIn.Consent', accountId, occasionOf(flow), { ...asked });
  return grant.save().catch((error: unknown) => {
    throw error instanceof errors.LoginRequired ? new ServiceError('session.not_found') : error;
  });
}
