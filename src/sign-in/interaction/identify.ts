import { ServiceError } from '../../errors.ts';
import { refuseSsoAccount, refuseSsoAddress } from '../proofs/single-sign-on.ts';
import { requireSignUp, usableMethods } from './allowed-identifiers.ts';
import { currentCredentials } from './credentials.ts';
import { identifiedBy } from './events.ts';
import { type Flow, progressOf, verificationOf } from './flow.ts';
import { columnOf, findUser, requireFree } from './identifiers.ts';
import { newProgress } from './progress.ts';
import type { Verification } from './verification.ts';

/**
 * Identifies the account by a verified first factor.
 *
 * @throws 422 `session.not_allowed` if this event accepts other proofs; `session.unknown_account` if no account has
 * what was proven; `user.…_already_in_use` if a registration proves what an account already has; `session.sso_required`
 * if only the organization's provider may sign in
 */
export async function identify(flow: Flow, verificationId: string): Promise<void> {
  const verification = verificationOf(flow, verificationId, true);
  const { event } = progressOf(flow);
  if (!identifiedBy[event].includes(verification.type)) throw new ServiceError('session.not_allowed');
  if (event === 'Register') return identifyNew(flow, verification);
  const userId = verification.userId ?? (await ownerOf(flow, verification));
  if (userId === undefined) throw new ServiceError('session.unknown_account');
  const user = await flow.store.find('users', { id: userId });
  if (!user) throw new ServiceError('session.unknown_account');
  if (user.isSuspended) throw new ServiceError('user.suspended');
  if (verification.type !== 'EnterpriseSso') await refuseSsoAccount(flow.store, user);
  await identifyAccount(flow, verification, userId);
}

/**
 * Sets the account of the interaction. Drops proofs of another account and everything gathered for it, so that data of
 * one user is never written to another.
 */
async function identifyAccount(flow: Flow, verification: Verification, userId: string): Promise<void> {
  const before = progressOf(flow);
  const credentials = await currentCredentials(flow.store, userId);
  if (credentials === undefined) throw new ServiceError('session.unknown_account');
  if ((verification.credentials ?? credentials) !== credentials)
    throw new ServiceError('session.verification_not_found');
  verification.userId = userId;
  if (before.userId === userId) return;
  const { event, identifier, rehash, identities, linking, linkingTo, notice } = before;
  const isLinking = linkingTo === userId;
  flow.saved.progress = {
    ...newProgress(event),
    userId,
    credentials,
    verifications: before.verifications.filter((one) => one.userId === userId),
    ...(identifier && { identifier }),
    ...(notice && { notice }),
    ...(rehash?.userId === userId && { rehash }),
    ...(isLinking && { identities, linkingTo, ...(linking && { linking }) }),
  };
}

const FIRST_FACTORS_BY_CODE = ['EmailVerificationCode', 'PhoneVerificationCode'];

/** Returns the account that has the verified address or number now. */
async function ownerOf(flow: Flow, { type, identifier }: Verification): Promise<string | undefined> {
  if (!identifier || !FIRST_FACTORS_BY_CODE.includes(type)) return undefined;
  const method = usableMethods(flow).find((method) => method.identifier === identifier.type);
  const isAccepted = progressOf(flow).event === 'SignIn' ? method?.verificationCode : method !== undefined;
  if (!isAccepted) throw new ServiceError('session.not_allowed');
  return (await findUser(flow.store, identifier))?.id;
}

async function identifyNew(flow: Flow, { type, identifier, details }: Verification): Promise<void> {
  const progress = progressOf(flow);
  const isNewAccount = type === 'NewPasswordIdentity' || FIRST_FACTORS_BY_CODE.includes(type);
  if (!identifier || !isNewAccount) throw new ServiceError('session.verification_not_found');
  requireSignUp(flow, identifier.type);
  await refuseSsoAddress(flow.store, identifier);
  await requireFree(flow.store, identifier);
  progress.account[columnOf[identifier.type]] = identifier.value;
  if (type === 'NewPasswordIdentity') progress.passwordHash = details?.passwordHash;
}
