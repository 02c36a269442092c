import { errors, type Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { sendPage } from '../../pages/send.ts';
import type { Flow } from '../interaction/flow.ts';
import type { Interaction } from '../interaction/open-flow.ts';
import { recordUserAudit } from '../interaction/record-events.ts';
import { consentPage, type RequestedAccess } from '../pages/consent.ts';
import { bodyOf, formViewOf, type OpenInteraction } from './interaction.ts';

export const isConsent = ({ interaction }: OpenInteraction): boolean => interaction.prompt.name === 'consent';

/**
 * Asks for consent to a third-party application. First-party applications are granted what they request, also with
 * `prompt=consent`.
 */
export async function showConsent(opened: OpenInteraction): Promise<void> {
  const { flow, interaction, response, provider, request } = opened;
  const { application } = flow;
  if (!application?.isThirdParty) {
    await provider.interactionFinished(request, response, { consent: {} }, { mergeWithLastSubmission: true });
    return;
  }
  const user = await flow.store.find('users', { id: String(interaction.session?.accountId) });
  const account = user?.primaryEmail ?? user?.username ?? user?.primaryPhone ?? user?.name ?? '';
  const view = {
    ...formViewOf(opened),
    applicationName: application.name,
    requested: requestedAccessOf(interaction),
    account,
  };
  sendPage(response, 200, consentPage(view));
}

export async function decideConsent(opened: OpenInteraction): Promise<void> {
  const { provider, request, response, interaction, flow } = opened;
  const result =
    bodyOf(opened).decision === 'allow'
      ? { consent: { grantId: await allow(provider, interaction, flow) } }
      : { error: 'access_denied', error_description: 'the user denied access' };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** The scopes and claims of oidc-provider's prompt that are not granted yet. */
interface MissingConsent {
  missingOIDCScope?: string[];
  missingOIDCClaims?: string[];
  missingResourceScopes?: Record<string, string[]>;
}

const missingIn = ({ prompt }: Interaction): MissingConsent => prompt.details as MissingConsent;

/** Returns the requested scopes in the order of the request, `openid` first. */
function requestedAccessOf(interaction: Interaction): RequestedAccess {
  const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
  return {
    scopes: missingOIDCScope,
    resources: Object.entries(missingResourceScopes).map(([indicator, scopes]) => ({ indicator, scopes })),
  };
}

/** Adds the requested scopes to the grant of this user and application. @returns the grant's id */
async function allow(provider: Provider, interaction: Interaction, flow: Flow): Promise<string> {
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
  await recordUserAudit(flow.store, 'SignIn.Consent', accountId, flow, { ...requested });
  return grant.save().catch((error: unknown) => {
    throw error instanceof errors.LoginRequired ? new ServiceError('session.not_found') : error;
  });
}
