import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { requireStep } from '../interaction/events.ts';
import { type Flow, progressOf, verificationOf } from '../interaction/flow.ts';
import type { NewFactor } from '../interaction/progress.ts';
import type { Verification } from '../interaction/verification.ts';
import { factorsOf } from './factors.ts';

/** Returns the part of a new factor that is stored. Undefined if this is no proof of a new factor. */
function factorOf({ type, isVerified, details }: Verification): NewFactor | undefined {
  if (!details) return undefined;
  if (type === 'BackupCode' && !isVerified)
    return { type, secret: JSON.stringify(details.codes), details: { remaining: details.codes.length } };
  if (type === 'Totp' && isVerified) return { type, secret: details.secret, details: {}, lastUsedAt: details.usedAt };
  return type === 'WebAuthn' && isVerified ? { type, secret: details.secret, details: details.passkey } : undefined;
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
  const factor = factorOf(verificationOf(flow, verificationId, type !== 'BackupCode'));
  if (factor?.type !== type) throw new ServiceError('session.verification_not_found');
  if (!flow.settings.mfa.factors.includes(type)) throw new ServiceError('factor.not_allowed');
  await requireNotHeld(flow, flow.store, type);
  progress.factors = [...progress.factors.filter((other) => other.type !== type), factor];
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
