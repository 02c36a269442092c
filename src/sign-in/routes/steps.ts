import { EXACT_LIMITS } from '../../http/rate-limits/rate-limits.ts';
import type { Html } from '../../pages/html.ts';
import * as actions from '../actions.ts';
import { canSendCode, methodOf } from '../interaction/allowed-identifiers.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import type { Identifier, SentCode } from '../interaction/verification.ts';
import {
  backupCodePage,
  backupCodesPage,
  chooseFactorPage,
  enrolPasskeyPage,
  enrolTotpPage,
  passkeyPage,
  totpPage,
} from '../pages/factors.ts';
import type { FormView } from '../pages/layout.ts';
import { codePage, forgotPage, newPasswordPage, profilePage, registerPage } from '../pages/register.ts';
import { identifierPage, passwordPage, type SocialChoice } from '../pages/sign-in.ts';
import { formatBackupCode } from '../proofs/backup-codes.ts';
import { CODE } from '../proofs/codes.ts';
import type { FactorType } from '../settings.ts';

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
export async function stepPage(flow: Flow, missing: actions.Missing, view: FormView, input: StepInput): Promise<Html> {
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
  const code = actions.pendingCode(flow);
  if (code && !('password' in query)) return codeStep(flow, view, code);
  return event === 'Register' ? newPassword(flow, view) : password(flow, view, identifier);
}

function firstPage(flow: Flow, view: FormView, { typed, loginHint, social }: StepInput): Html {
  const { event, identifier, suggested, notice } = progressOf(flow);
  const value = typed ?? identifier?.value ?? suggested ?? loginHint;
  const first = { ...view, allowed: actions.allowedIdentifiers(flow), value, social };
  if (event === 'Register') return registerPage(first);
  if (event === 'ForgotPassword') return forgotPage(first);
  return identifierPage({
    ...first,
    applicationName: flow.application?.name,
    canRegister: flow.settings.signInMode === 'SignInAndRegister',
    isPasswordChanged: notice === 'passwordChanged',
  });
}

function password(flow: Flow, view: FormView, identifier: Identifier): Html {
  return passwordPage({
    ...view,
    identifier: identifier.value,
    isPasswordChanged: progressOf(flow).notice === 'passwordChanged',
    linking: progressOf(flow).linking,
    canUseCode: methodOf(flow, identifier)?.verificationCode === true && canSendCode(flow, identifier.type),
    canReset: flow.settings.signIn.methods.some(({ identifier }) => canSendCode(flow, identifier)),
  });
}

/** The code page of an interaction or of the account page. */
export function codeStep(flow: Flow, view: FormView, { identifier, details }: SentCode): Html {
  const { event, userId } = progressOf(flow);
  const readyAt = details.sentAt + EXACT_LIMITS.codePause.durationMs;
  return codePage({
    ...view,
    destination: identifier.value,
    code: CODE,
    waitSeconds: Math.max(0, Math.ceil((readyAt - flow.now) / 1000)),
    canUsePassword: event === 'SignIn' && userId === undefined && methodOf(flow, identifier)?.password === true,
  });
}

const newPassword = (flow: Flow, view: FormView): Html =>
  newPasswordPage({
    ...view,
    identifier: progressOf(flow).identifier?.value,
    minLength: flow.settings.passwordPolicy.minLength,
    isReset: progressOf(flow).event === 'ForgotPassword',
  });

function profile(flow: Flow, view: FormView, { typed, query }: StepInput, missing: Identifier['type']): Html {
  const code = actions.pendingCode(flow);
  if (code && !('change' in query)) return codeStep(flow, view, code);
  return profilePage({ ...view, missing, value: typed });
}

/** The account name that an authenticator app or a device shows. */
async function accountNameOf(flow: Flow): Promise<string> {
  const { userId, account, identifier } = progressOf(flow);
  const user = userId ? await flow.store.find('users', { id: userId }) : undefined;
  const held = { ...account, ...user };
  return held.primaryEmail ?? held.username ?? held.primaryPhone ?? identifier?.value ?? flow.settings.brandName;
}

const factorNamed = (chosen: unknown, factors: readonly FactorType[]): FactorType | undefined =>
  factors.find((type) => type === chosen);

/** Asks for a second factor: the chosen one, by default the first that the user has. */
async function challengePage(flow: Flow, view: FormView, factors: FactorType[], chosen: unknown): Promise<Html> {
  const type = factorNamed(chosen, factors) ?? (factors[0] as FactorType);
  const challenge = { ...view, others: factors.filter((other) => other !== type) };
  if (type === 'Totp') return totpPage(challenge);
  if (type === 'BackupCode') return backupCodePage(challenge);
  return passkeyPage({ ...challenge, options: await actions.passkeyOptions(flow) });
}

/** Sets up a second factor: the chosen one or the only one allowed; otherwise shows the choice. */
export async function enrolmentPage(flow: Flow, view: FormView, factors: FactorType[], chosen: unknown): Promise<Html> {
  const type = factorNamed(chosen, factors) ?? (factors.length === 1 ? factors[0] : undefined);
  const enrol = { ...view, back: factors.length > 1 ? view.action : undefined };
  switch (type) {
    case 'Totp':
      return enrolTotpPage({ ...enrol, ...(await actions.newTotp(flow, await accountNameOf(flow))) });
    case 'WebAuthn':
      return enrolPasskeyPage({ ...enrol, options: await actions.newPasskeyOptions(flow, await accountNameOf(flow)) });
    case 'BackupCode':
      return backupCodesPage({ ...enrol, codes: (await actions.newBackupCodes(flow)).codes.map(formatBackupCode) });
    default:
      return chooseFactorPage({ ...view, factors });
  }
}
