import { ServiceError } from '../../errors.ts';
import { type Flow, progressOf } from './flow.ts';
import type { InteractionEvent, Progress, VerificationType } from './progress.ts';
import { missingProof } from './requirements.ts';

/** The steps of an interaction and of the account page. */
export type Step =
  /** Prove an account by its password. */
  | 'password'
  /** Prove an e-mail address or phone number by a code, to be identified by it. */
  | 'code'
  /** Prove an identity at an identity provider. */
  | 'social'
  /** Choose the username and password of a new account. */
  | 'newAccount'
  /** Prove a second factor that the account holds. */
  | 'secondFactor'
  /** Set up another factor. */
  | 'newFactor'
  /** Add a username, an e-mail address or a phone number. */
  | 'profile'
  /** Choose a password. */
  | 'newPassword';

/**
 * When a step may be taken. `identified`: after a first factor named the account. `proven`: after every factor that
 * the account must prove, the second one included.
 */
type When = 'never' | 'always' | 'identified' | 'proven';

/** The account page is no interaction. Its session stands for the proofs; its routes ask for a fresh sign-in where that matters. */
type Place = InteractionEvent | 'Account';

/**
 * Says what each interaction event may do, and when. The pages and the Experience API call the same actions, and each action
 * that begins, proves or adds something asks here first, so that what one event allows is never done in another. docs/security.md shows this table to readers.
 */
export const steps: Readonly<Record<Step, Readonly<Record<Place, When>>>> = {
  password: { SignIn: 'always', Register: 'never', ForgotPassword: 'never', Account: 'never' },
  code: { SignIn: 'always', Register: 'always', ForgotPassword: 'always', Account: 'never' },
  social: { SignIn: 'always', Register: 'always', ForgotPassword: 'never', Account: 'proven' },
  newAccount: { SignIn: 'never', Register: 'always', ForgotPassword: 'never', Account: 'never' },
  secondFactor: { SignIn: 'identified', Register: 'never', ForgotPassword: 'identified', Account: 'never' },
  newFactor: { SignIn: 'proven', Register: 'always', ForgotPassword: 'never', Account: 'proven' },
  profile: { SignIn: 'proven', Register: 'always', ForgotPassword: 'never', Account: 'proven' },
  newPassword: { SignIn: 'never', Register: 'always', ForgotPassword: 'proven', Account: 'never' },
};

/** The proofs that name the account. Registration names a new one. */
export const identifiedBy: Readonly<Record<InteractionEvent, readonly VerificationType[]>> = {
  SignIn: ['Password', 'EmailVerificationCode', 'PhoneVerificationCode', 'Social', 'EnterpriseSso'],
  Register: ['NewPasswordIdentity', 'EmailVerificationCode', 'PhoneVerificationCode', 'Social', 'EnterpriseSso'],
  ForgotPassword: ['EmailVerificationCode', 'PhoneVerificationCode'],
};

type Gathered = Pick<Progress, 'account' | 'passwordHash' | 'identities' | 'factors'>;

/** The parts of the account that an event writes when it completes. A sign-in adds what is missing and replaces nothing. */
export const writes: Readonly<Record<InteractionEvent, readonly (keyof Gathered)[]>> = {
  SignIn: ['account', 'identities', 'factors'],
  Register: ['account', 'passwordHash', 'identities', 'factors'],
  ForgotPassword: ['passwordHash'],
};

/**
 * @throws 422 `session.not_allowed` never in this event; `session.identifier_required`, `session.mfa_required` not yet
 */
export async function requireStep(flow: Flow, step: Step): Promise<void> {
  const when = steps[step][flow.isAccountPage ? 'Account' : progressOf(flow).event];
  if (when === 'never') throw new ServiceError('session.not_allowed');
  if (when === 'always' || flow.isAccountPage) return;
  const missing = await missingProof(flow);
  if (missing?.what === 'identification') throw new ServiceError('session.identifier_required');
  if (missing && when === 'proven') throw new ServiceError('session.mfa_required');
}

/** Of all that was gathered, only what the event may write. */
export function writable({ event, account, passwordHash, identities, factors }: Progress): Gathered {
  const may = (what: keyof Gathered) => writes[event].includes(what);
  return {
    account: may('account') ? account : {},
    identities: may('identities') ? identities : [],
    factors: may('factors') ? factors : [],
    ...(may('passwordHash') && passwordHash !== undefined && { passwordHash }),
  };
}
