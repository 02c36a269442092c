import type { Html } from '../../pages/html.ts';
import { allowedIdentifiers, type Missing, pendingCode } from '../actions.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import type { Identifier, Verification } from '../interaction/progress.ts';
import type { FormView } from '../pages/layout.ts';
import { codePage, forgotPage, newPasswordPage, profilePage, registerPage } from '../pages/register.ts';
import { identifierPage, passwordPage, type SocialChoice } from '../pages/sign-in.ts';
import { challengePage, enrolmentPage } from './factor-steps.ts';

/** What a page shows besides the progress. */
export interface Shown {
  /** What was typed into the field, when it was refused. */
  typed: string | undefined;
  loginHint: string | undefined;
  /** What was chosen by a link, as the query of the page: `change`, `password`, `factor=Totp`. */
  chosen: Readonly<Record<string, unknown>>;
  social: SocialChoice[];
}

/** The pause that `limits.ts` keeps between two codes. */
const CODE_PAUSE_SECONDS = 60;

/** The page of the step at which an interaction is. */
export async function stepPage(flow: Flow, missing: Missing, view: FormView, shown: Shown): Promise<Html> {
  switch (missing.what) {
    case 'identification':
      return identification(flow, view, shown);
    case 'newPassword':
      return newPassword(flow, view);
    case 'profile':
      return profile(flow, view, shown, missing.identifiers[0] as Identifier['type']);
    case 'secondFactor':
      return challengePage(flow, view, missing.factors, shown.chosen.factor);
    case 'enrolment':
      return enrolmentPage(flow, view, missing.factors, shown.chosen.factor);
  }
}

function identification(flow: Flow, view: FormView, shown: Shown): Html {
  const { event, identifier } = progressOf(flow);
  const { chosen } = shown;
  if (identifier === undefined || 'change' in chosen) return firstPage(flow, view, shown);
  const code = pendingCode(flow);
  if (code && !('password' in chosen)) return codeOf(flow, view, code);
  return event === 'Register' ? newPassword(flow, view) : password(flow, view, identifier);
}

function firstPage(flow: Flow, view: FormView, { typed, loginHint, social }: Shown): Html {
  const { event, identifier, suggested, notice } = progressOf(flow);
  const value = typed ?? identifier?.value ?? suggested ?? loginHint;
  const first = { ...view, allowed: allowedIdentifiers(flow), value, social };
  if (event === 'Register') return registerPage(first);
  if (event === 'ForgotPassword') return forgotPage(first);
  return identifierPage({
    ...first,
    applicationName: flow.application?.name,
    canRegister: flow.settings.signInMode === 'SignInAndRegister',
    isPasswordChanged: notice === 'passwordChanged',
  });
}

const methodOf = ({ settings }: Flow, { type }: Identifier) =>
  settings.signIn.methods.find(({ identifier }) => identifier === type);

function password(flow: Flow, view: FormView, identifier: Identifier): Html {
  const canSend = (type: Identifier['type']) =>
    type !== 'username' && flow.tools.messenger.canSend(type === 'email' ? 'email' : 'sms');
  return passwordPage({
    ...view,
    identifier: identifier.value,
    isPasswordChanged: progressOf(flow).notice === 'passwordChanged',
    linking: progressOf(flow).linking,
    canUseCode: methodOf(flow, identifier)?.verificationCode === true && canSend(identifier.type),
    canReset: flow.settings.signIn.methods.some(({ identifier }) => canSend(identifier)),
  });
}

/** Of the interaction, and of the account page. */
export function codeOf(flow: Flow, view: FormView, { identifier, details }: Verification): Html {
  const { event, userId } = progressOf(flow);
  const sentAgo = Math.floor((flow.now - Number(details?.sentAt)) / 1000);
  const destination = identifier as Identifier;
  return codePage({
    ...view,
    destination: destination.value,
    waitSeconds: Math.max(0, CODE_PAUSE_SECONDS - sentAgo),
    canUsePassword: event === 'SignIn' && userId === undefined && methodOf(flow, destination)?.password === true,
  });
}

const newPassword = (flow: Flow, view: FormView): Html =>
  newPasswordPage({
    ...view,
    identifier: progressOf(flow).identifier?.value,
    minLength: flow.settings.passwordPolicy.minLength,
    isReset: progressOf(flow).event === 'ForgotPassword',
  });

function profile(flow: Flow, view: FormView, { typed, chosen }: Shown, asked: Identifier['type']): Html {
  const code = pendingCode(flow);
  if (code && !('change' in chosen)) return codeOf(flow, view, code);
  return profilePage({ ...view, asked, value: typed });
}
