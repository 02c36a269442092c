import { ONE_FACTOR, TWO_FACTORS } from '../../base/authentication-context.ts';
import type { Progress } from './progress.ts';
import type { Verification, VerificationType } from './verification.ts';

/** Value in `amr` by type of proof (RFC 8176 §2). */
const METHODS: Partial<Record<VerificationType, string>> = {
  Password: 'pwd',
  NewPasswordIdentity: 'pwd',
  EmailVerificationCode: 'otp',
  PhoneVerificationCode: 'sms',
  Totp: 'otp',
  BackupCode: 'otp',
  WebAuthn: 'hwk',
};

export const isSecondFactor = (type: VerificationType): boolean => ['Totp', 'BackupCode', 'WebAuthn'].includes(type);

/**
 * Returns the proofs of this account. A factor that was set up but never bound proves nothing, nor does a proof of
 * another account.
 */
export const proofsOf = ({ event, verifications }: Progress, accountId: string): Verification[] =>
  verifications.filter(
    ({ type, isVerified, userId }) =>
      isVerified && (event === 'Register' ? !isSecondFactor(type) : userId === accountId),
  );

/**
 * Returns the result of a finished interaction for oidc-provider and the session. `interaction` is passed to the claims
 * script.
 */
export function loginOf(progress: Progress, accountId: string) {
  const verified = proofsOf(progress, accountId);
  const amr = authenticationMethods(verified);
  const interaction = {
    interactionEvent: progress.event,
    userId: accountId,
    verificationRecords: verified.map(({ type }) => ({ type })),
  };
  return { accountId, amr, acr: amr.includes('mfa') ? TWO_FACTORS : ONE_FACTOR, interaction };
}

/** Returns `amr` (RFC 8176). Includes `mfa` if two different factors were verified. */
function authenticationMethods(verifications: readonly Verification[]): string[] {
  const verified = verifications.map(({ type }) => type);
  const methods = new Set(verified.flatMap((type) => METHODS[type] ?? []));
  const hasSecond = verified.some(isSecondFactor);
  return [...methods, ...(hasSecond && verified.length > 1 ? ['mfa'] : [])];
}
