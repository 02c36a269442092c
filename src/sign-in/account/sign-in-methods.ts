import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { Flow } from '../interaction/flow.ts';
import { columnOf } from '../interaction/identifiers.ts';
import { ssoTargetsOf } from '../proofs/single-sign-on.ts';

/**
 * Refuses to unlink the last sign-in method, and to unlink an identity of single sign-on.
 *
 * @throws 422 `session.not_allowed`
 */
export async function requireOtherSignInMethod(
  { store, settings }: Pick<Flow, 'store' | 'settings'>,
  user: UserRow,
  target: string,
): Promise<void> {
  if ((await ssoTargetsOf(store, user.id)).includes(target)) throw new ServiceError('session.not_allowed');
  const byIdentifier = settings.signIn.methods.some(
    ({ identifier, password, verificationCode }) =>
      user[columnOf[identifier]] !== null &&
      ((password && user.passwordHash !== null) || (verificationCode && identifier !== 'username')),
  );
  const linked = await store.from('userIdentities').where({ userId: user.id }).select('target');
  if (!byIdentifier && !linked.some((identity) => identity.target !== target)) {
    throw new ServiceError('session.not_allowed');
  }
}
