import { ServiceError } from '../errors.ts';
import { type Flow, progressOf, verificationOf } from './flow.ts';
import { columnOf, findUser, requireFree } from './identifiers.ts';
import { identifiedBy } from './interaction-events.ts';
import type { Verification } from './progress.ts';
import type { IdentifierType } from './settings.ts';
import { refuseSsoAccount } from './single-sign-on.ts';

/**
 * Says who this is, by a first factor that was verified.
 *
 * @throws 422 `session.not_allowed`: this event takes other proofs; `session.unknown_account`: proven, but nobody here has
 * it; `user.…_already_in_use` where an account is to be made of what one has already; `session.sso_required` where only the
 * organization's provider leads in
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
  progressOf(flow).userId = userId;
}

const FIRST_FACTORS_BY_CODE = ['EmailVerificationCode', 'PhoneVerificationCode'];

/** A code proves an address or a number; the account is whose that is now. */
async function ownerOf(flow: Flow, { type, identifier }: Verification): Promise<string | undefined> {
  if (!identifier || !FIRST_FACTORS_BY_CODE.includes(type)) return undefined;
  const method = flow.settings.signIn.methods.find((method) => method.identifier === identifier.type);
  if (progressOf(flow).event === 'SignIn' && !method?.verificationCode) throw new ServiceError('session.not_allowed');
  return (await findUser(flow.store, identifier))?.id;
}

async function identifyNew(flow: Flow, { type, identifier, details }: Verification): Promise<void> {
  const progress = progressOf(flow);
  const isNewAccount = type === 'NewPasswordIdentity' || FIRST_FACTORS_BY_CODE.includes(type);
  if (!identifier || !isNewAccount) throw new ServiceError('session.verification_not_found');
  requireSignUp(flow, identifier.type);
  await requireFree(flow.store, identifier);
  progress.account[columnOf[identifier.type]] = identifier.value;
  if (type === 'NewPasswordIdentity') progress.passwordHash = String(details?.passwordHash);
}

/** @throws 422 `session.not_allowed` */
export function requireSignUp({ settings }: Flow, type: IdentifierType): void {
  const { signInMode, signUp } = settings;
  const isAllowed = signInMode === 'SignInAndRegister' && signUp.identifiers.some((allowed) => allowed === type);
  if (!isAllowed) throw new ServiceError('session.not_allowed');
}
