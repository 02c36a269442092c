import { createHmac } from 'node:crypto';
import { networkOf } from '../../base/address.ts';
import { canVerify } from '../../base/password-digests.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { auditPerson } from '../interaction/announce.ts';
import { occasionOf } from '../interaction/complete.ts';
import { credentialsOf } from '../interaction/credentials.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, progressOf } from '../interaction/flow.ts';
import { findUser } from '../interaction/identifiers.ts';
import { isOf } from '../interaction/known-browsers.ts';
import type { Counted } from '../interaction/limits.ts';
import type { Identifier, Verification } from '../interaction/progress.ts';
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts';
import { refuseSsoAddress } from './single-sign-on.ts';

/** As the limits know an identifier, be there an account or not. */
const accountKeyOf = ({ type, value }: Identifier): string => `${type}:${value}`;

/** Of a user's id. */
const ID_LENGTH = 12;

/**
 * The digest of a neighbour: of the user whose id comes next after a place that the identifier alone decides. Computed for
 * accounts that have no digest, it makes them cost what the tenant's accounts do, imported bcrypt digests among them,
 * and one identifier always the same. The place is keyed, so nobody can tell whose neighbour an identifier is.
 */
async function decoyOf({ store, tools }: Flow, identifier: Identifier): Promise<string | null | undefined> {
  const [key = ''] = tools.secrets.derive('sign-in-decoy');
  const text = `${store.tenantId}:${accountKeyOf(identifier)}`;
  const number = BigInt(`0x${createHmac('sha256', key).update(text).digest('hex')}`);
  const place = number.toString(36).slice(-ID_LENGTH);
  const nextAfter = (id: string) => store.from('users').where('id', '>=', id).orderBy('id').first('passwordHash');
  const neighbour = (await nextAfter(place)) ?? (await nextAfter(''));
  return neighbour?.passwordHash;
}

/**
 * A browser that signed in to this account before has a counter of its own, so that nobody else's wrong passwords lock the
 * owner out. Strangers count by network, and together. All failures count by address, those of known browsers too.
 */
function countedBy({ knownAccounts, facts }: Flow, identifier: Identifier, user: UserRow | undefined) {
  const known = user && knownAccounts.find((one) => isOf(one, user));
  const ofAddress: Counted = ['address', facts.ip];
  if (known) return { account: `browser:${known.browserId}`, failures: [ofAddress] };
  const account = accountKeyOf(identifier);
  const failures: Counted[] = [['strangers', account], ofAddress];
  return { account: `${account} ${networkOf(facts.ip)}`, failures };
}

/**
 * The first factor of most sign-ins. An identifier that nobody has takes the same time, is limited
 * alike and gets the same answer; so does a stored digest that costs too much to verify, which only the audit log tells.
 *
 * @throws 422 `session.invalid_credentials`, `session.sso_required`, 429 `request.rate_limited`
 */
export async function verifyPasswordOf(flow: Flow, identifier: Identifier, password: string): Promise<Verification> {
  const { store, settings, tools } = flow;
  const { limits } = tools;
  await refuseSsoAddress(store, identifier);
  await requireStep(flow, 'password');
  const isAllowed = settings.signIn.methods.some((method) => method.identifier === identifier.type && method.password);
  const user = isAllowed ? await findUser(store, identifier) : undefined;
  const credentials = user && (await credentialsOf(store, user)); // Before the hash is computed, which takes a while.
  const counted = countedBy(flow, identifier, user);

  const turn = { tenantId: store.tenantId, isPerson: true };
  const isRight = await limits.tryOnce(store, [['account', counted.account], ...counted.failures], async () =>
    verifyPassword(user?.passwordHash, password, turn, await decoyOf(flow, identifier)),
  );
  if (!isRight || !user?.passwordHash) {
    const reason: ErrorCode | undefined =
      user?.passwordHash && !canVerify(user.passwordHash) ? 'password.unsupported_digest' : undefined;
    if (reason) tools.logger.warn({ userId: user?.id }, 'a stored password digest costs too much to verify');
    const payload = { identifierType: identifier.type, ...(reason && { reason }) };
    await auditPerson(store, 'SignIn.Password', user?.id, occasionOf(flow), payload, 'Error');
    throw new ServiceError('session.invalid_credentials');
  }
  await limits.clear(store, 'account', counted.account);
  for (const [rule, name] of counted.failures) await limits.giveBack(store, rule, name);

  const { id: userId, passwordHash } = user;
  if (needsRehash(passwordHash))
    progressOf(flow).rehash = { userId, from: passwordHash, to: await hashPassword(password, turn) };
  const proof = { type: 'Password', isVerified: true, identifier, userId } as const;
  return addVerification(flow, { ...proof, ...(credentials && { credentials }) });
}
