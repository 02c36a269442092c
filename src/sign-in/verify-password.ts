import { ServiceError } from '../errors.ts';
import { auditPerson } from './announce.ts';
import { occasionOf } from './complete.ts';
import { addVerification, type Flow, progressOf } from './flow.ts';
import { findUser } from './identifiers.ts';
import { requireStep } from './interaction-events.ts';
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts';
import type { Identifier, Verification } from './progress.ts';

/** As the limits know an account, be there one or not. */
const accountKeyOf = ({ type, value }: Identifier): string => `${type}:${value}`;

/**
 * The first factor of most sign-ins. An identifier that nobody has takes the same time, is limited
 * alike and gets the same answer.
 *
 * @throws 422 `session.invalid_credentials`, 429 `request.rate_limited`
 */
export async function verifyPasswordOf(flow: Flow, identifier: Identifier, password: string): Promise<Verification> {
  await requireStep(flow, 'password');
  const { store, settings, tools, facts } = flow;
  const { limits } = tools;
  await limits.take(store, 'account', accountKeyOf(identifier));
  await limits.take(store, 'address', facts.ip);

  const isAllowed = settings.signIn.methods.some((method) => method.identifier === identifier.type && method.password);
  const user = isAllowed ? await findUser(store, identifier) : undefined;
  if (!(await verifyPassword(user?.passwordHash, password)) || !user?.passwordHash) {
    await auditPerson(
      store,
      'SignIn.Password',
      user?.id,
      occasionOf(flow),
      { identifierType: identifier.type },
      'Error',
    );
    throw new ServiceError('session.invalid_credentials');
  }
  await limits.clear(store, 'account', accountKeyOf(identifier));
  await limits.giveBack(store, 'address', facts.ip);

  const { id: userId, passwordHash } = user;
  if (needsRehash(passwordHash))
    progressOf(flow).rehash = { userId, from: passwordHash, to: await hashPassword(password) };
  return addVerification(flow, { type: 'Password', isVerified: true, identifier, userId });
}
