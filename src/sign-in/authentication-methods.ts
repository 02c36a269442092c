import { ONE_FACTOR, TWO_FACTORS } from '../authentication-context.ts';
import type { Verification, VerificationType } from './progress.ts';

/** RFC 8176 §2. */
const METHODS: Partial<Record<VerificationType, string>> = {
  Password: 'pwd',
  NewPasswordIdentity: 'pwd',
  EmailVerificationCode: 'otp',
  PhoneVerificationCode: 'sms',
  Totp: 'otp',
  BackupCode: 'otp',
  WebAuthn: 'hwk',
};

/** `amr`: how this person was authenticated. `mfa` when two factors of different kinds were verified. */
export function authenticationMethods(verifications: readonly Verification[]): string[] {
  const verified = verifications.filter(({ isVerified }) => isVerified).map(({ type }) => type);
  const methods = new Set(verified.flatMap((type) => METHODS[type] ?? []));
  const hasSecond = verified.some((type) => ['Totp', 'BackupCode', 'WebAuthn'].includes(type));
  return [...methods, ...(hasSecond && verified.length > 1 ? ['mfa'] : [])];
}

/** `acr`: two factors of different kinds, or one. */
export const authenticationContext = (amr: readonly string[]): string =>
  amr.includes('mfa') ? TWO_FACTORS : ONE_FACTOR;
