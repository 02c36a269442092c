import { allow, requestedAccessOf } from '../interaction/consent.ts';
import { consentPage } from '../pages/consent.ts';
import { sendPage } from '../pages/respond.ts';
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
