import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { requireSignUp } from '../interaction/allowed-identifiers.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, progressOf } from '../interaction/flow.ts';
import { requireFree } from '../interaction/identifiers.ts';
import { missingOf } from '../interaction/requirements.ts';
import type { Identifier, Verification } from '../interaction/verification.ts';
import type { SignInSettings } from '../settings.ts';

export const MAX_PASSWORD_LENGTH = 256;

/** One per line, in lower case. The list omits passwords that are shorter than any policy allows. */
const common = new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split('\n'));

/**
 * Checks the length and refuses common passwords. There are no rules about kinds of characters (NIST SP 800-63B
 * §3.1.1.2).
 *
 * @throws 422 `password.too_short`, `password.too_long`, `password.too_common`
 */
export function requireGoodPassword(
  password: string,
  { minLength, rejectCommon }: SignInSettings['passwordPolicy'],
  known: readonly (string | undefined)[],
): void {
  if (password.length > MAX_PASSWORD_LENGTH) throw new ServiceError('password.too_long');
  if ([...password].length < minLength) throw new ServiceError('password.too_short');
  const folded = password.toLowerCase();
  const isKnown = known.some(
    (word) => word && word.length >= 4 && folded.startsWith(word.toLowerCase()) && folded.length < word.length + 4,
  );
  if (rejectCommon && (common.has(folded) || isKnown || new Set(folded).size < 3)) {
    throw new ServiceError('password.too_common');
  }
}

/** Hashes a new password. Every hash costs CPU time, so requests from one address are limited. */
async function checkedHash(flow: Flow, password: string, identifier: Identifier | undefined): Promise<string> {
  await flow.tools.limits.take(flow.store, 'newPassword', flow.facts.ip);
  const { settings } = flow;
  requireGoodPassword(password, settings.passwordPolicy, [identifier?.value.split('@')[0], settings.brandName]);
  return flow.tools.passwords.hash(password, { tenantId: flow.store.tenantId, isInteractive: true });
}

/** Returns the proof for a registration by username: the name is free and the password meets the policy. */
export async function newPasswordIdentity(flow: Flow, identifier: Identifier, password: string): Promise<Verification> {
  await requireStep(flow, 'newAccount');
  requireSignUp(flow, identifier.type);
  if (identifier.type !== 'username') throw new ServiceError('session.not_allowed'); // Others need a code.
  await requireFree(flow.store, identifier);
  const passwordHash = await checkedHash(flow, password, identifier);
  return addVerification(flow, {
    type: 'NewPasswordIdentity',
    isVerified: true,
    identifier,
    details: { passwordHash },
  });
}

/** Sets the password of a new account, or the new one of a reset. */
export async function setPassword(flow: Flow, password: string): Promise<void> {
  await requireStep(flow, 'newPassword');
  if ((await missingOf(flow))?.what === 'identification') throw new ServiceError('session.identifier_required');
  const progress = progressOf(flow);
  progress.passwordHash = await checkedHash(flow, password, progress.identifier);
}
