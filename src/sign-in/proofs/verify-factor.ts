import type { UserFactorRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, identifiedUser } from '../interaction/flow.ts';
import type { Verification } from '../interaction/verification.ts';
import { factorsOf, openFactor } from './factors.ts';

/**
 * Verifies a code of the account's second factor. Attempts are limited until one succeeds.
 *
 * @param spend marks a right code as used, so that it works once; returns the number of changed rows
 * @throws 422 `factor.invalid_code`, 429 `request.rate_limited`
 */
export async function verifyFactor(
  flow: Flow,
  type: 'Totp' | 'BackupCode',
  spend: (factor: UserFactorRow, secret: string) => Promise<number>,
): Promise<Verification> {
  await requireStep(flow, 'secondFactor');
  const { store, tools } = flow;
  const { id: userId } = await identifiedUser(flow);
  await tools.limits.take(store, 'factor', userId);
  const factor = (await factorsOf(store, userId)).find((held) => held.type === type);
  if (!factor || (await spend(factor, openFactor(store, tools.secrets, factor))) !== 1) {
    throw new ServiceError('factor.invalid_code');
  }
  await tools.limits.clear(store, 'factor', userId);
  return addVerification(flow, { type, isVerified: true, userId, factorId: factor.id });
}
