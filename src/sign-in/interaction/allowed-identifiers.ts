import { ServiceError } from '../../errors.ts';
import type { IdentifierType, SignInSettings } from '../settings.ts';
import { type Flow, progressOf } from './flow.ts';

/**
 * The sign-in methods that are switched on. A method with neither password nor code can be used for nothing, not even a
 * reset.
 */
export const usableMethods = ({ settings }: Flow): SignInSettings['signIn']['methods'] =>
  settings.signIn.methods.filter(({ password, verificationCode }) => password || verificationCode);

/** The identifiers that can be entered first in the current event. */
export function allowedIdentifiers(flow: Flow): IdentifierType[] {
  const { settings, saved, tools } = flow;
  const { event } = saved.progress;
  const canSend = (type: IdentifierType) =>
    type !== 'username' && tools.messenger.canSend(type === 'email' ? 'email' : 'sms');
  if (event === 'Register') return settings.signUp.identifiers.filter((type) => type === 'username' || canSend(type));
  const methods = usableMethods(flow).filter(({ identifier }) => event === 'SignIn' || canSend(identifier));
  return methods.map(({ identifier }) => identifier);
}

/** Checks that a new account can be identified by this type. @throws 422 `session.not_allowed` */
export function requireSignUp({ settings }: Flow, type: IdentifierType): void {
  const { signInMode, signUp } = settings;
  const isAllowed = signInMode === 'SignInAndRegister' && signUp.identifiers.some((allowed) => allowed === type);
  if (!isAllowed) throw new ServiceError('session.not_allowed');
}

/**
 * Checks that the settings ask for this type in the current event: as a sign-in method, or on a new account. After
 * signing in by another identifier, a user may add any type that the account lacks.
 *
 * @throws 422 `session.not_allowed`
 */
export function requireAllowed(flow: Flow, type: IdentifierType): void {
  const { event, userId } = progressOf(flow);
  if (userId !== undefined) return;
  const { identifiers, requiredIdentifiers } = flow.settings.signUp;
  const asked: IdentifierType[] =
    event === 'Register'
      ? [...identifiers, ...requiredIdentifiers]
      : usableMethods(flow).map(({ identifier }) => identifier);
  if (!asked.includes(type)) throw new ServiceError('session.not_allowed');
}
