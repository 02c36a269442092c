import { ServiceError } from '../errors.ts';
import { type Flow, progressOf, verificationOf } from './flow.ts';
import type { NewFactor, Verification } from './progress.ts';

/** What of a verified new factor is kept. */
function factorOf({ type, details = {} }: Verification): NewFactor {
  if (type === 'Totp') return { type, secret: String(details.secret), details: {} };
  if (type === 'WebAuthn')
    return { type, secret: String(details.secret), details: details.passkey as NewFactor['details'] };
  if (type !== 'BackupCode') throw new ServiceError('session.verification_not_found');
  const codes = details.codes as string[];
  return { type, secret: JSON.stringify(codes), details: { remaining: codes.length } };
}

/**
 * Adds a new factor to what the interaction writes at its end. Backup codes are verified by being
 * taken: whoever saw them may say so.
 *
 * @throws 422 `factor.not_allowed`, `session.verification_not_found`
 */
export function bindFactor(flow: Flow, type: NewFactor['type'], verificationId: string): void {
  const progress = progressOf(flow);
  const verification = verificationOf(flow, verificationId, type !== 'BackupCode');
  if (verification.type !== type || verification.details === undefined) {
    throw new ServiceError('session.verification_not_found');
  }
  if (!flow.settings.mfa.factors.includes(type)) throw new ServiceError('factor.not_allowed');
  progress.factors = [...progress.factors.filter((factor) => factor.type !== type), factorOf(verification)];
  progress.verifications = progress.verifications.filter(({ id }) => id !== verificationId);
}
