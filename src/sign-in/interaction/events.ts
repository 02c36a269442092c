import { ServiceError } from '../../errors.ts';
import { type Flow, progressOf } from './flow.ts';
import type { InteractionEvent, Progress } from './progress.ts';
import { missingProof } from './requirements.ts';
import type { VerificationType } from './verification.ts';

/** The steps of an interaction and of the account page. */
export type Step =
  /** Prove an account by its password. */
  | 'password'
  /** Identify an account by a code sent to its email address or phone number. */
  | 'code'
  /** Prove an identity at an identity provider. */
  | 'social'
  /** Choose the username and password of a new account. */
  | 'newAccount'
  /** Prove a second factor of the account. */
  | 'secondFactor'
  /** Set up another factor. */
  | 'newFactor'
  /** Add a username, an email address or a phone number. */
  | 'profile'
  /** Choose a password. */
  | 'newPassword';

/**
 * When a step is allowed. `identified`: after a first factor identified the account. `proven`: after every factor that
 * the account requires, including the second one.
 */
type StepCondition = 'never' | 'always' | 'identified' | 'proven';

/**
 * The account page has no interaction: its session takes the place of the proofs. Its routes ask for a fresh sign-in
 * where that matters.
 */
type Situation = InteractionEvent | 'Account';

/**
 * When each interaction event allows each step. The pages and the Experience API call the same actions, and every
 * action that starts, proves or adds something calls `requireStep` first, so that a step allowed in one event is never
 * done in another. docs/security.md publishes this table.
 */
export const steps: Readonly<Record<Step, Readonly<Record<Situation, StepCondition>>>> = {
  password: { SignIn: 'always', Register: 'never', ForgotPassword: 'never', Account: 'never' },
  code: { SignIn: 'always', Register: 'always', ForgotPassword: 'always', Account: 'never' },
  social: { SignIn: 'always', Register: 'always', ForgotPassword: 'never', Account: 'proven' },
  newAccount: { SignIn: 'never', Register: 'always', ForgotPassword: 'never', Account: 'never' },
  secondFactor: { SignIn: 'identified', Register: 'never', ForgotPassword: 'identified', Account: 'never' },
  newFactor: { SignIn: 'proven', Register: 'always', ForgotPassword: 'never', Account: 'proven' },
  profile: { SignIn: 'proven', Register: 'always', ForgotPassword: 'never', Account: 'proven' },
  newPassword: { SignIn: 'never', Register: 'always', ForgotPassword: 'proven', Account: 'never' },
};

/** The proofs that identify the account. Registration identifies a new one. */
export const identifiedBy: Readonly<Record<InteractionEvent, readonly VerificationType[]>> = {
  SignIn: ['Password', 'EmailVerificationCode', 'PhoneVerificationCode', 'Social', 'EnterpriseSso'],
  Register: ['NewPasswordIdentity', 'EmailVerificationCode', 'PhoneVerificationCode', 'Social', 'EnterpriseSso'],
  ForgotPassword: ['EmailVerificationCode', 'PhoneVerificationCode'],
};

type Gathered = Pick<Progress, 'account' | 'passwordHash' | 'identities' | 'factors'>;

/**
 * The parts of the account that an event writes when it completes. A sign-in adds what is missing and replaces nothing.
 */
export const writes: Readonly<Record<InteractionEvent, readonly (keyof Gathered)[]>> = {
  SignIn: ['account', 'identities', 'factors'],
  Register: ['account', 'passwordHash', 'identities', 'factors'],
  ForgotPassword: ['passwordHash'],
};

/**
 * Checks that the current event allows a step now.
 *
 * @throws 422 `session.not_allowed` if it never does; `session.identifier_required`, `session.mfa_required` if it does
 * not yet
 */
export async function requireStep(flow: Flow, step: Step): Promise<void> {
  const when = steps[step][flow.isAccountPage ? 'Account' : progressOf(flow).event];
  if (when === 'never') throw new ServiceError('session.not_allowed');
  if (when === 'always' || flow.isAccountPage) return;
  const missing = await missingProof(flow);
  if (missing?.what === 'identification') throw new ServiceError('session.identifier_required');
  if (missing && when === 'proven') throw new ServiceError('session.mfa_required');
}

/** Returns the part of the gathered data that the event may write. */
export function writable({ event, account, passwordHash, identities, factors }: Progress): Gathered {
  const may = (what: keyof Gathered) => writes[event].includes(what);
  return {
    account: may('account') ? account : {},
    identities: may('identities') ? identities : [],
    factors: may('factors') ? factors : [],
    ...(may('passwordHash') && passwordHash !== undefined && { passwordHash }),
  };
}
