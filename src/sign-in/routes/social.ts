import * as actions from '../actions.ts';
import { type Flow, progressOf, saveProgress } from '../interaction/flow.ts';
import type { SocialProof, Verification } from '../interaction/verification.ts';
import { type OpenInteraction, showFault, submitStep } from './interaction.ts';

/** Redirects to the identity provider. */
export async function redirectToProvider(opened: OpenInteraction): Promise<void> {
  const { flow, request, response } = opened;
  try {
    const { url } = await actions.startSocial(flow, String(request.params.target));
    await saveProgress(flow);
    response.redirect(303, url);
  } catch (error) {
    await showFault(opened, error);
  }
}

/** The return from the identity provider. */
export const returnFromProvider = (opened: OpenInteraction): Promise<void> =>
  submitStep(opened, async (flow) => {
    const { search } = new URL(opened.request.originalUrl, flow.tenant.endpoint);
    await continueWithIdentity(flow, await actions.finishSocial(flow, String(opened.request.params.target), search));
  });

/** Continues with the linked account, else with the account of the same email address, else with a new account. */
async function continueWithIdentity(flow: Flow, verification: Verification<SocialProof>): Promise<void> {
  actions.start(flow, 'SignIn', verification);
  if (verification.userId !== undefined) return actions.identify(flow, verification.id);
  const known = await actions.accountByEmail(flow, verification);
  if (!known) {
    actions.start(flow, 'Register', verification);
    return actions.registerSocial(flow, verification);
  }
  const progress = progressOf(flow);
  progress.identities = [actions.identityIn(verification)];
  progress.linkingTo = known.user.id;
  progress.identifier = { type: 'email', value: known.email };
  if (!known.isTrusted) {
    progress.linking = known.providerName;
    return;
  }
  await actions.bindToAccount(flow, verification, known.user.id);
  await actions.identify(flow, verification.id);
}
