import { allowedIdentifiers, type Missing } from './actions.ts';
import type { Flow } from './flow.ts';
import { progressOf } from './flow.ts';
import type { Html } from './html.ts';
import type { FormView } from './pages/layout.ts';
import { identifierPage, passwordPage } from './pages/sign-in.ts';

/** What a page shows besides the progress. */
export interface Shown {
  /** What was typed into the field, when it was refused. */
  typed?: string | undefined;
  loginHint?: string | undefined;
  /** The identifier is to be typed anew. */
  isChanging?: boolean;
}

/** The page of the step at which an interaction is. */
export function stepPage(flow: Flow, missing: Missing, view: FormView, shown: Shown): Html {
  const { identifier, notice } = progressOf(flow);
  if (identifier === undefined || shown.isChanging || missing.what !== 'identification') {
    return identifierPage({
      ...view,
      allowed: allowedIdentifiers(flow),
      value: shown.typed ?? identifier?.value ?? shown.loginHint,
      applicationName: flow.application?.name,
      social: [],
      canRegister: false,
      isPasswordChanged: notice === 'passwordChanged',
    });
  }
  return passwordPage({ ...view, identifier: identifier.value, canUseCode: false, canReset: false });
}
