import { randomInt } from 'node:crypto';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, progressOf } from '../interaction/flow.ts';
import type { Verification } from '../interaction/verification.ts';
import { factorPurposeOf } from './factors.ts';
import { verifyFactor } from './verify-factor.ts';

const COUNT = 10;
/** No letters or digits that look alike. Ten characters have 49 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 10;

const newCode = (): string => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** Formats a code as it is displayed: `abcde-fghjk`. */
export const formatBackupCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

/**
 * Returns new backup codes. They stay the same until they are added to the account, so that reloading the page changes
 * nothing.
 */
export async function newBackupCodes(flow: Flow) {
  await requireStep(flow, 'newFactor');
  const pending = progressOf(flow).verifications.find((one) => one.type === 'BackupCode' && !one.isVerified);
  const codes = pending?.details.codes ?? Array.from({ length: COUNT }, newCode);
  const verification = pending ?? addVerification(flow, { type: 'BackupCode', isVerified: false, details: { codes } });
  return { verification, codes };
}

/**
 * Verifies and removes one backup code. The update applies only if the stored list is still the one that was read, so a
 * code works once.
 *
 * @throws 422 `factor.invalid_code`, 429 `request.rate_limited`
 */
export const verifyBackupCode = (flow: Flow, given: string): Promise<Verification> =>
  verifyFactor(flow, 'BackupCode', async ({ id, secretEncrypted }, secret) => {
    const codes = JSON.parse(secret) as string[];
    const left = codes.filter((code) => code !== given.toLowerCase().replace(/[^a-z0-9]/g, ''));
    if (left.length === codes.length) return 0;
    const { store, tools, now } = flow;
    const sealed = tools.secrets.seal(JSON.stringify(left), factorPurposeOf(store.tenantId, id));
    const change = { secretEncrypted: sealed, details: { remaining: left.length }, lastUsedAt: now };
    return store.change('userFactors', { id, secretEncrypted }, change);
  });
