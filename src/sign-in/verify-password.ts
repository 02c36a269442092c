import { createHmac } from 'node:crypto';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { canVerify } from '../password-digests.ts';
import { auditPerson } from './announce.ts';
import { occasionOf } from './complete.ts';
import { addVerification, type Flow, progressOf } from './flow.ts';
import { findUser } from './identifiers.ts';
import { requireStep } from './interaction-events.ts';
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts';
import type { Identifier, Verification } from './progress.ts';
import { refuseSsoAddress } from './single-sign-on.ts';

/** As the limits know an account, be there one or not. */
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
  const users = () => store.from('users').orderBy('id');
  const neighbour =
    (await users().where('id', '>=', place).first('passwordHash')) ?? (await users().first('passwordHash'));
  return neighbour?.passwordHash;
}

/**
 * The first factor of most sign-ins. An identifier that nobody has takes the same time, is limited
 * alike and gets the same answer; so does a stored digest that costs too much to verify, which only the audit log tells.
 *
 * @throws 422 `session.invalid_credentials`, `session.sso_required`, 429 `request.rate_limited`
 */
export async function verifyPasswordOf(flow: Flow, identifier: Identifier, password: string): Promise<Verification> {
  await requireStep(flow, 'password');
  const { store, settings, tools, facts } = flow;
  const { limits } = tools;
  await refuseSsoAddress(store, identifier);
  await limits.take(store, 'account', accountKeyOf(identifier));
  await limits.take(store, 'address', facts.ip);

  const isAllowed = settings.signIn.methods.some((method) => method.identifier === identifier.type && method.password);
  const user = isAllowed ? await findUser(store, identifier) : undefined;
  const turn = { tenantId: store.tenantId, isPerson: true };
  const isRight = await verifyPassword(user?.passwordHash, password, turn, await decoyOf(flow, identifier));
  if (!isRight || !user?.passwordHash) {
    const reason: ErrorCode | undefined =
      user?.passwordHash && !canVerify(user.passwordHash) ? 'password.unsupported_digest' : undefined;
    if (reason) tools.logger.warn({ userId: user?.id }, 'a stored password digest costs too much to verify');
    const payload = { identifierType: identifier.type, ...(reason && { reason }) };
    await auditPerson(store, 'SignIn.Password', user?.id, occasionOf(flow), payload, 'Error');
    throw new ServiceError('session.invalid_credentials');
  }
  await limits.clear(store, 'account', accountKeyOf(identifier));
  await limits.giveBack(store, 'address', facts.ip);

  const { id: userId, passwordHash } = user;
  if (needsRehash(passwordHash))
    progressOf(flow).rehash = { userId, from: passwordHash, to: await hashPassword(password, turn) };
  return addVerification(flow, { type: 'Password', isVerified: true, identifier, userId });
}
