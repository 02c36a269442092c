import { ServiceError } from '../errors.ts';
import { allowedIdentifiers } from './interaction/allowed-identifiers.ts';
import { type Flow, progressOf } from './interaction/flow.ts';
import { readIdentifier } from './interaction/identifiers.ts';
import { type InteractionEvent, newProgress } from './interaction/progress.ts';
import type { Identifier, Verification } from './interaction/verification.ts';

/**
 * Everything a user can do in an interaction. The pages and the Experience API call these actions and nothing else, so
 * they behave alike. Only `complete` writes to an account; it records the events listed in `completionEvents`.
 */
export { allowedIdentifiers, canIdentify, requireSignUp } from './interaction/allowed-identifiers.ts';
export { complete, completionEvents } from './interaction/complete.ts';
export { identify } from './interaction/identify.ts';
export { addUsername, addVerifiedIdentifier, readMissingIdentifier } from './interaction/profile.ts';
export { type Missing, missingOf } from './interaction/requirements.ts';
export { newBackupCodes, verifyBackupCode } from './proofs/backup-codes.ts';
export { bindFactor } from './proofs/bind-factor.ts';
export { pendingCode, sendCode, verifyCode } from './proofs/codes.ts';
export { newPasswordIdentity, setPassword } from './proofs/new-password.ts';
export { newPasskeyOptions, passkeyOptions, verifyNewPasskey, verifyPasskey } from './proofs/passkeys.ts';
export {
  accountByEmail,
  bindToAccount,
  finishSocial,
  identityIn,
  registerSocial,
  startSocial,
} from './proofs/social.ts';
export { newTotp, verifyNewTotp, verifyTotp } from './proofs/totp.ts';
export { verifyPasswordOf } from './proofs/verify-password.ts';

/**
 * Restarts the interaction as a registration, a sign-in or a reset. Everything gathered so far is dropped, so that data
 * of one event is never written by another.
 *
 * @param proof kept when the proof itself decides the event: an email address that has an account, or has none
 * @throws 422 `session.not_allowed` if the settings do not allow registration
 */
export function start(flow: Flow, event: InteractionEvent, proof?: Verification): void {
  if (event === 'Register' && proof === undefined && flow.settings.signInMode !== 'SignInAndRegister') {
    throw new ServiceError('session.not_allowed');
  }
  const { identifier } = progressOf(flow);
  flow.saved.progress = { ...newProgress(event), ...(proof && { verifications: [proof], identifier }) };
}

/** Sets the identifier of the interaction. A different one drops everything that was gathered for the one before. */
export function setIdentifier(flow: Flow, text: string): Identifier {
  const identifier = readIdentifier(text, allowedIdentifiers(flow));
  const { event, identifier: before } = progressOf(flow);
  const isSame = before?.type === identifier.type && before.value === identifier.value;
  if (!isSame) flow.saved.progress = { ...newProgress(event), identifier };
  return identifier;
}
