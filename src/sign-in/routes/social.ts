import { ServiceError } from '../../errors.ts';
import {
  accountByEmail,
  finishSocial,
  identify,
  identityIn,
  provesAccount,
  registerSocial,
  start,
  startSocial,
} from '../actions.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import type { Verification } from '../interaction/progress.ts';
import { type Opened, saveProgress, showFault, take } from './interaction.ts';

/** To the provider. */
export async function goToProvider(opened: Opened): Promise<void> {
  const { flow, request, response } = opened;
  try {
    const { url } = await startSocial(flow, String(request.params.target));
    await saveProgress(flow);
    response.redirect(303, url);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await showFault(opened, error);
  }
}

/** Back from the provider. */
export const comeBack = (opened: Opened): Promise<void> =>
  take(opened, async (flow) => {
    const { search } = new URL(opened.request.originalUrl, flow.tenant.endpoint);
    await arrive(flow, await finishSocial(flow, String(opened.request.params.target), search));
  });

/** Into the account that is linked, else into the one that can be proven, else into a new one. */
async function arrive(flow: Flow, verification: Verification): Promise<void> {
  start(flow, 'SignIn', verification);
  if (verification.userId !== undefined) return identify(flow, verification.id);
  const known = await accountByEmail(flow, verification);
  if (!known) {
    start(flow, 'Register', verification);
    return registerSocial(flow, verification);
  }
  const progress = progressOf(flow);
  progress.identities = [identityIn(verification)];
  progress.linkingTo = known.user.id;
  progress.identifier = { type: 'email', value: known.email };
  if (!known.isVouched) {
    progress.linking = known.providerName;
    return;
  }
  await provesAccount(flow, verification, known.user.id);
  await identify(flow, verification.id);
}
