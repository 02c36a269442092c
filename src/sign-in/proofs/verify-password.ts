import { createHmac } from 'node:crypto';
import { networkOf } from '../../base/address.ts';
import { canVerify } from '../../base/password-digests.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { LimitKey } from '../../http/rate-limits/exact-limits.ts';
import { credentialsOf } from '../interaction/credentials.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, progressOf } from '../interaction/flow.ts';
import { findUser } from '../interaction/identifiers.ts';
import { belongsTo } from '../interaction/known-browsers.ts';
import { recordUserAudit } from '../interaction/record-events.ts';
import type { Identifier, Verification } from '../interaction/verification.ts';
import { needsRehash } from './passwords.ts';
import { refuseSsoAddress } from './single-sign-on.ts';

/** The key of an identifier in the limits, whether or not it has an account. */
const accountKeyOf = ({ type, value }: Identifier): string => `${type}:${value}`;

/** Length of a user's id. */
const ID_LENGTH = 12;

/**
 * Returns the digest of the user whose id follows a place derived from the identifier. Verifying it for an identifier
 * without a digest costs the same as for the tenant's accounts, including imported bcrypt digests, and always the same
 * for one identifier. The place is derived with a key, so that no one can find out which account it leads to.
 */
async function decoyOf({ store, tools }: Flow, identifier: Identifier): Promise<string | null | undefined> {
  const [key = ''] = tools.secrets.derive('sign-in-decoy');
  const text = `${store.tenantId}:${accountKeyOf(identifier)}`;
  const number = BigInt(`0x${createHmac('sha256', key).update(text).digest('hex')}`);
  const place = number.toString(36).slice(-ID_LENGTH);
  const nextAfter = (id: string) => store.from('users').where('id', '>=', id).orderBy('id').first('passwordHash');
  const neighbor = (await nextAfter(place)) ?? (await nextAfter(''));
  return neighbor?.passwordHash;
}

/**
 * A browser that signed in to this account before has a counter of its own, so that failed attempts from other browsers
 * do not lock the owner out. Unknown browsers are counted by network and all together. Failures of all browsers are
 * counted by address.
 */
function limitKeysOf({ knownAccounts, facts }: Flow, identifier: Identifier, user: UserRow | undefined) {
  const known = user && knownAccounts.find((one) => belongsTo(one, user));
  const ofAddress: LimitKey = ['address', facts.ip];
  if (known) return { account: `browser:${known.browserId}`, failures: [ofAddress] };
  const account = accountKeyOf(identifier);
  const failures: LimitKey[] = [['strangers', account], ofAddress];
  return { account: `${account} ${networkOf(facts.ip)}`, failures };
}

/**
 * Verifies the first factor of most sign-ins. An unknown identifier takes the same time, has the same limits and gets
 * the same error; so does a stored digest that is too expensive to verify, which is visible only in the audit log.
 *
 * @throws 422 `session.invalid_credentials`, `session.sso_required`, 429 `request.rate_limited`
 */
export async function verifyPasswordOf(flow: Flow, identifier: Identifier, password: string): Promise<Verification> {
  const { store, settings, tools } = flow;
  const { limits, passwords } = tools;
  await refuseSsoAddress(store, identifier);
  await requireStep(flow, 'password');
  const isAllowed = settings.signIn.methods.some((method) => method.identifier === identifier.type && method.password);
  const user = isAllowed ? await findUser(store, identifier) : undefined;
  // Read first: the account may change while the hash is computed.
  const credentials = user && (await credentialsOf(store, user));
  const limitKeys = limitKeysOf(flow, identifier, user);

  const caller = { tenantId: store.tenantId, isInteractive: true };
  const isRight = await limits.attempt(store, [['account', limitKeys.account], ...limitKeys.failures], async () =>
    passwords.verify(user?.passwordHash, password, caller, await decoyOf(flow, identifier)),
  );
  if (!isRight || !user?.passwordHash) {
    const reason: ErrorCode | undefined =
      user?.passwordHash && !canVerify(user.passwordHash) ? 'password.unsupported_digest' : undefined;
    if (reason) tools.logger.warn({ userId: user?.id }, 'A stored password digest is too expensive to verify');
    const payload = { identifierType: identifier.type, ...(reason && { reason }) };
    await recordUserAudit(store, 'SignIn.Password', user?.id, flow, payload, 'Error');
    throw new ServiceError('session.invalid_credentials');
  }
  await limits.clear(store, 'account', limitKeys.account);
  for (const [limit, name] of limitKeys.failures) await limits.refund(store, limit, name);

  const { id: userId, passwordHash } = user;
  if (needsRehash(passwordHash))
    progressOf(flow).rehash = { userId, from: passwordHash, to: await passwords.hash(password, caller) };
  const proof = { type: 'Password', isVerified: true, identifier, userId } as const;
  return addVerification(flow, { ...proof, ...(credentials && { credentials }) });
}
