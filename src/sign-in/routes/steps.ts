import type { Html } from '../../pages/html.ts';
import { allowedIdentifiers, type Missing, pendingCode } from '../actions.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { CODE_PAUSE_MS } from '../interaction/limits.ts';
import type { Identifier, Verification } from '../interaction/progress.ts';
import type { FormView } from '../pages/layout.ts';
import { codePage, forgotPage, newPasswordPage, profilePage, registerPage } from '../pages/register.ts';
import { identifierPage, passwordPage, type SocialChoice } from '../pages/sign-in.ts';
import { CODE } from '../proofs/codes.ts';
import { challengePage, enrolmentPage } from './factor-steps.ts';

/** The facts that a page shows in addition to the progress. */
export interface StepInput {
  /** The text of the field that was refused. */
  typed: string | undefined;
  loginHint: string | undefined;
  /** The query of the page, set by the link that the user followed: `change`, `password`, `factor=Totp`. */
  query: Readonly<Record<string, unknown>>;
  social: SocialChoice[];
}

/** Renders the page of the interaction's current step. */
export async function stepPage(flow: Flow, missing: Missing, view: FormView, input: StepInput): Promise<Html> {
  switch (missing.what) {
    case 'identification':
      return identification(flow, view, input);
    case 'newPassword':
      return newPassword(flow, view);
    case 'profile':
      return profile(flow, view, input, missing.identifiers[0] as Identifier['type']);
    case 'secondFactor':
      return challengePage(flow, view, missing.factors, input.query.factor);
    case 'enrolment':
      return enrolmentPage(flow, view, missing.factors, input.query.factor);
  }
}

function identification(flow: Flow, view: FormView, input: StepInput): Html {
  const { event, identifier } = progressOf(flow);
  const { query } = input;
  if (identifier === undefined || 'change' in query) return firstPage(flow, view, input);
  const code = pendingCode(flow);
  if (code && !('password' in query)) return codeStep(flow, view, code);
  return event === 'Register' ? newPassword(flow, view) : password(flow, view, identifier);
}

function firstPage(flow: Flow, view: FormView, { typed, loginHint, social }: StepInput): Html {
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

/** The code page of an interaction or of the account page. */
export function codeStep(flow: Flow, view: FormView, { identifier, details }: Verification): Html {
  const { event, userId } = progressOf(flow);
  const readyAt = Number(details?.sentAt) + CODE_PAUSE_MS;
  const destination = identifier as Identifier;
  return codePage({
    ...view,
    destination: destination.value,
    code: CODE,
    waitSeconds: Math.max(0, Math.ceil((readyAt - flow.now) / 1000)),
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

function profile(flow: Flow, view: FormView, { typed, query }: StepInput, asked: Identifier['type']): Html {
  const code = pendingCode(flow);
  if (code && !('change' in query)) return codeStep(flow, view, code);
  return profilePage({ ...view, asked, value: typed });
}
