import { ServiceError } from '../../errors.ts';
import type { Channel } from '../messages/messenger.ts';
import type { IdentifierType, SignInSettings } from '../settings.ts';
import { type Flow, progressOf } from './flow.ts';
import type { Identifier } from './verification.ts';

/**
 * The sign-in methods that are switched on. A method with neither password nor code can be used for nothing, not even a
 * reset.
 */
export const usableMethods = ({ settings }: Flow): SignInSettings['signIn']['methods'] =>
  settings.signIn.methods.filter(({ password, verificationCode }) => password || verificationCode);

/** The sign-in method of an identifier, if the settings have one. */
export const methodOf = ({ settings }: Flow, { type }: Identifier) =>
  settings.signIn.methods.find(({ identifier }) => identifier === type);

/** Returns true if a code can be sent to identifiers of this type. */
export const canSendCode = ({ tools }: Flow, type: IdentifierType): boolean =>
  type !== 'username' && tools.messenger.canSend(channelOf(type));

/** Returns true if an account can be given an identifier of this type: usernames need no code. */
export const canIdentify = (flow: Flow, type: IdentifierType): boolean =>
  type === 'username' || canSendCode(flow, type);

export const channelOf = (type: IdentifierType): Channel => (type === 'email' ? 'email' : 'sms');

/** The identifiers that can be entered first in the current event. */
export function allowedIdentifiers(flow: Flow): IdentifierType[] {
  const { event } = progressOf(flow);
  if (event === 'Register') return flow.settings.signUp.identifiers.filter((type) => canIdentify(flow, type));
  const methods = usableMethods(flow).filter(({ identifier }) => event === 'SignIn' || canSendCode(flow, identifier));
  return methods.map(({ identifier }) => identifier);
}

/** Checks that a new account can be identified by this type. @throws 422 `session.not_allowed` */
export function requireSignUp({ settings }: Flow, type: IdentifierType): void {
  const { signInMode, signUp } = settings;
  const isAllowed = signInMode === 'SignInAndRegister' && signUp.identifiers.some((allowed) => allowed === type);
  if (!isAllowed) throw new ServiceError('session.not_allowed');
}

/**
 * Checks that the settings allow this type in the current event: as a sign-in method, or on a new account. After
 * signing in by another identifier, a user may add any type that the account lacks.
 *
 * @throws 422 `session.not_allowed`
 */
export function requireAllowed(flow: Flow, type: IdentifierType): void {
  const { event, userId } = progressOf(flow);
  if (userId !== undefined) return;
  const { identifiers, requiredIdentifiers } = flow.settings.signUp;
  const allowed: IdentifierType[] =
    event === 'Register'
      ? [...identifiers, ...requiredIdentifiers]
      : usableMethods(flow).map(({ identifier }) => identifier);
  if (!allowed.includes(type)) throw new ServiceError('session.not_allowed');
}
