import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { requireSignUp } from '../interaction/allowed-identifiers.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, progressOf } from '../interaction/flow.ts';
import { requireFree } from '../interaction/identifiers.ts';
import type { Identifier, Verification } from '../interaction/progress.ts';
import { missingOf } from '../interaction/requirements.ts';
import type { SignInSettings } from '../settings.ts';
import { hashPassword } from './passwords.ts';

const MAX_LENGTH = 256;

/** One a line, in lower case. Shorter ones than any policy allows are left out. */
const common = new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split('\n'));

/**
 * Length, and not what everybody tries first; no rule about kinds of characters (NIST SP 800-63B §3.1.1.2).
 *
 * @throws 422 `password.too_short`, `password.too_long`, `password.too_common`
 */
export function requireGoodPassword(
  password: string,
  { minLength, rejectCommon }: SignInSettings['passwordPolicy'],
  known: readonly (string | undefined)[],
): void {
  if (password.length > MAX_LENGTH) throw new ServiceError('password.too_long');
  if ([...password].length < minLength) throw new ServiceError('password.too_short');
  const folded = password.toLowerCase();
  const isKnown = known.some(
    (word) => word && word.length >= 4 && folded.startsWith(word.toLowerCase()) && folded.length < word.length + 4,
  );
  if (rejectCommon && (common.has(folded) || isKnown || new Set(folded).size < 3)) {
    throw new ServiceError('password.too_common');
  }
}

/** Each costs a hash, so what strangers ask for from one address is limited. */
async function checkedHash(flow: Flow, password: string, identifier: Identifier | undefined): Promise<string> {
  await flow.tools.limits.take(flow.store, 'newPassword', flow.facts.ip);
  const { settings } = flow;
  requireGoodPassword(password, settings.passwordPolicy, [identifier?.value.split('@')[0], settings.brandName]);
  return hashPassword(password, { tenantId: flow.store.tenantId, isPerson: true });
}

/** What a registration by username is identified with: the name is free, the password good. */
export async function newPasswordIdentity(flow: Flow, identifier: Identifier, password: string): Promise<Verification> {
  await requireStep(flow, 'newAccount');
  requireSignUp(flow, identifier.type);
  if (identifier.type !== 'username') throw new ServiceError('session.not_allowed'); // Others are proven by a code.
  await requireFree(flow.store, identifier);
  const passwordHash = await checkedHash(flow, password, identifier);
  return addVerification(flow, {
    type: 'NewPasswordIdentity',
    isVerified: true,
    identifier,
    details: { passwordHash },
  });
}

/** The password of a new account, or the one after a reset. */
export async function setPassword(flow: Flow, password: string): Promise<void> {
  await requireStep(flow, 'newPassword');
  if ((await missingOf(flow))?.what === 'identification') throw new ServiceError('session.identifier_required');
  const progress = progressOf(flow);
  progress.passwordHash = await checkedHash(flow, password, progress.identifier);
}
