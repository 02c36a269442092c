import { allow, askedIn } from '../interaction/consent.ts';
import { consentPage } from '../pages/consent.ts';
import { sendPage } from '../pages/respond.ts';
import { bodyOf, formViewOf, type Opened } from './interaction.ts';

export const isConsent = ({ interaction }: Opened): boolean => interaction.prompt.name === 'consent';

/** A page for third parties only; first parties have what they ask for, also where they ask to be asked. */
export async function showConsent(opened: Opened): Promise<void> {
  const { flow, interaction, response, provider, request } = opened;
  const { application } = flow;
  if (!application?.isThirdParty) {
    await provider.interactionFinished(request, response, { consent: {} }, { mergeWithLastSubmission: true });
    return;
  }
  const user = await flow.store.find('users', { id: String(interaction.session?.accountId) });
  const account = user?.primaryEmail ?? user?.username ?? user?.primaryPhone ?? user?.name ?? '';
  const view = { ...formViewOf(opened), applicationName: application.name, asked: askedIn(interaction), account };
  sendPage(response, 200, consentPage(view));
}

export async function decideConsent(opened: Opened): Promise<void> {
  const { provider, request, response, interaction, flow } = opened;
  const result =
    bodyOf(opened).decision === 'allow'
      ? { consent: { grantId: await allow(provider, interaction, flow) } }
      : { error: 'access_denied', error_description: 'the person denied access' };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}
