import { ServiceError } from '../errors.ts';
import { allowedIdentifiers } from './interaction/allowed-identifiers.ts';
import { type Flow, progressOf } from './interaction/flow.ts';
import { readIdentifier } from './interaction/identifiers.ts';
import { type Identifier, type InteractionEvent, newProgress, type Verification } from './interaction/progress.ts';

/**
 * Everything a person can do in an interaction. The pages and the Experience API call these and
 * nothing else, so they cannot differ. Only `complete` writes to an account, and announces what
 * `announced` says.
 */
export { allowedIdentifiers, requireSignUp } from './interaction/allowed-identifiers.ts';
export { announced, complete } from './interaction/complete.ts';
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
  finishSocial,
  identityIn,
  provesAccount,
  registerSocial,
  startSocial,
} from './proofs/social.ts';
export { newTotp, verifyNewTotp, verifyTotp } from './proofs/totp.ts';
export { verifyPasswordOf } from './proofs/verify-password.ts';

/**
 * Begins anew as a registration, a sign-in or a reset: everything that was gathered is forgotten, so that nothing of one
 * event is written by another.
 *
 * @param proof carries over where the proof itself decides the event: an address that has an account, or has none
 * @throws 422 `session.not_allowed` where the settings take no registrations
 */
export function start(flow: Flow, event: InteractionEvent, proof?: Verification): void {
  if (event === 'Register' && proof === undefined && flow.settings.signInMode !== 'SignInAndRegister') {
    throw new ServiceError('session.not_allowed');
  }
  const { identifier } = progressOf(flow);
  flow.saved.progress = { ...newProgress(event), ...(proof && { verifications: [proof], identifier }) };
}

/** What was typed stays in view until it is changed; then what was gathered for it is forgotten. */
export function setIdentifier(flow: Flow, text: string): Identifier {
  const identifier = readIdentifier(text, allowedIdentifiers(flow));
  const { event, identifier: before } = progressOf(flow);
  const isSame = before?.type === identifier.type && before.value === identifier.value;
  if (!isSame) flow.saved.progress = { ...newProgress(event), identifier };
  return identifier;
}
