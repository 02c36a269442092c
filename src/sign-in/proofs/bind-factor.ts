import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { requireStep } from '../interaction/events.ts';
import { type Flow, progressOf, verificationOf } from '../interaction/flow.ts';
import type { NewFactor, Verification } from '../interaction/progress.ts';
import { factorsOf } from './factors.ts';

/** Returns the part of a verified new factor that is stored. */
function factorOf({ type, details = {} }: Verification): NewFactor {
  if (type === 'Totp') return { type, secret: String(details.secret), details: {}, lastUsedAt: Number(details.usedAt) };
  if (type === 'WebAuthn')
    return { type, secret: String(details.secret), details: details.passkey as NewFactor['details'] };
  if (type !== 'BackupCode') throw new ServiceError('session.verification_not_found');
  const codes = details.codes as string[];
  return { type, secret: JSON.stringify(codes), details: { remaining: codes.length } };
}

/**
 * Adds a new factor to what the interaction writes when it completes. Backup codes count as proven once they were
 * shown.
 *
 * @throws 422 `factor.not_allowed`, `factor.already_held`, `session.verification_not_found`
 */
export async function bindFactor(flow: Flow, type: NewFactor['type'], verificationId: string): Promise<void> {
  await requireStep(flow, 'newFactor');
  const progress = progressOf(flow);
  const verification = verificationOf(flow, verificationId, type !== 'BackupCode');
  if (verification.type !== type || verification.details === undefined) {
    throw new ServiceError('session.verification_not_found');
  }
  if (!flow.settings.mfa.factors.includes(type)) throw new ServiceError('factor.not_allowed');
  await requireNotHeld(flow, flow.store, type);
  progress.factors = [...progress.factors.filter((factor) => factor.type !== type), factorOf(verification)];
  progress.verifications = progress.verifications.filter(({ id }) => id !== verificationId);
}

/**
 * Refuses a second factor of a kind that the account already has. A sign-in adds factors and replaces none, so that a
 * stolen session or password cannot replace the authenticator app. Several passkeys are allowed, and the account page
 * may replace.
 *
 * @throws 422 `factor.already_held`
 */
export async function requireNotHeld(flow: Flow, store: TenantStore, type: NewFactor['type']): Promise<void> {
  const { userId } = progressOf(flow);
  if (userId === undefined || type === 'WebAuthn' || flow.isAccountPage) return;
  const isHeld = (await factorsOf(store, userId)).some((factor) => factor.type === type);
  if (isHeld) throw new ServiceError('factor.already_held');
}
