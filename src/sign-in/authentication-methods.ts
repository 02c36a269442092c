import { ONE_FACTOR, TWO_FACTORS } from '../authentication-context.ts';
import type { Progress, Verification, VerificationType } from './progress.ts';

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

export const isSecondFactor = (type: VerificationType): boolean => ['Totp', 'BackupCode', 'WebAuthn'].includes(type);

/** Of a finished interaction, what oidc-provider and the session are told; a claims script sees `interaction`. */
export function loginOf({ event, verifications }: Progress, accountId: string) {
  const amr = authenticationMethods(verifications);
  const verified = verifications.filter(({ isVerified }) => isVerified);
  const interaction = {
    interactionEvent: event,
    userId: accountId,
    verificationRecords: verified.map(({ type }) => ({ type })),
  };
  return { accountId, amr, acr: authenticationContext(amr), interaction };
}

/** `amr`: how this person was authenticated. `mfa` when two factors of different kinds were verified. */
function authenticationMethods(verifications: readonly Verification[]): string[] {
  const verified = verifications.filter(({ isVerified }) => isVerified).map(({ type }) => type);
  const methods = new Set(verified.flatMap((type) => METHODS[type] ?? []));
  const hasSecond = verified.some(isSecondFactor);
  return [...methods, ...(hasSecond && verified.length > 1 ? ['mfa'] : [])];
}

/** `acr`: two factors of different kinds, or one. */
const authenticationContext = (amr: readonly string[]): string => (amr.includes('mfa') ? TWO_FACTORS : ONE_FACTOR);
