import { Secret, TOTP } from 'otpauth';
import { ServiceError } from '../../errors.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, giveProof, progressOf, verificationOf } from '../interaction/flow.ts';
import type { Verification } from '../interaction/verification.ts';
import { verifyFactor } from './verify-factor.ts';

/** How long one code is current, as RFC 6238 §5.2 recommends. */
const PERIOD_MS = 30_000;

const totpOf = (secret: string, label?: string, issuer?: string): TOTP =>
  new TOTP({ secret: Secret.fromBase32(secret), ...(label && { label }), ...(issuer && { issuer }) });

/**
 * Returns the period that a code belongs to, at most one before or after the current one; null if it belongs to none.
 */
function periodOf(secret: string, code: string, now: number): number | null {
  const delta = totpOf(secret).validate({ token: code.replace(/\D/g, ''), timestamp: now, window: 1 });
  return delta === null ? null : Math.floor(now / PERIOD_MS) + delta;
}

/**
 * Returns the secret of a new authenticator app, in Base32 for typing and as `otpauth://…` for scanning. It stays the
 * same until it is verified, so that reloading the page changes nothing.
 */
export async function newTotp(flow: Flow, accountName: string) {
  await requireStep(flow, 'newFactor');
  const pending = progressOf(flow).verifications.find((one) => one.type === 'Totp' && !one.isVerified);
  const secret = pending?.details.secret ?? new Secret({ size: 20 }).base32; // 160 bits (RFC 4226 §4 R6).
  const verification = pending ?? addVerification(flow, { type: 'Totp', isVerified: false, details: { secret } });
  return { verification, secret, uri: totpOf(secret, accountName, flow.settings.brandName).toString() };
}

/** Verifies that the app computes the same codes. @throws 422 `factor.invalid_code` */
export function verifyNewTotp(flow: Flow, verificationId: string, code: string): Verification {
  const verification = verificationOf(flow, verificationId, false);
  if (verification.type !== 'Totp') throw new ServiceError('factor.invalid_code');
  const { secret } = verification.details;
  const period = periodOf(secret, code, flow.now);
  if (period === null) throw new ServiceError('factor.invalid_code');
  return giveProof(flow, verification, {
    type: 'Totp',
    isVerified: true,
    details: { secret, usedAt: period * PERIOD_MS },
  });
}

/**
 * Verifies the second factor of a sign-in. A code works once: `lastUsedAt` is the start of the period whose code was
 * used last, and only codes of later periods are accepted.
 *
 * @throws 422 `factor.invalid_code`, 429 `request.rate_limited`
 */
export const verifyTotp = (flow: Flow, code: string): Promise<Verification> =>
  verifyFactor(flow, 'Totp', async ({ id }, secret) => {
    const period = periodOf(secret, code, flow.now);
    if (period === null) return 0;
    const usedAt = period * PERIOD_MS;
    return flow.store.changeWhere(
      'userFactors',
      (row) => row.where({ id }).where((last) => last.whereNull('lastUsedAt').orWhere('lastUsedAt', '<', usedAt)),
      { lastUsedAt: usedAt },
    );
  });
