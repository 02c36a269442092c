import { ServiceError } from '../../errors.ts';
import type { IdentifierType, SignInSettings } from '../settings.ts';
import { type Flow, progressOf } from './flow.ts';

/** The ways to sign in that are not switched off entirely: one without password and code leads nowhere, and resets nothing. */
export const usableMethods = ({ settings }: Flow): SignInSettings['signIn']['methods'] =>
  settings.signIn.methods.filter(({ password, verificationCode }) => password || verificationCode);

/** The kinds of identifier that can be typed first, by what the person is about to do. */
export function allowedIdentifiers(flow: Flow): IdentifierType[] {
  const { settings, saved, tools } = flow;
  const { event } = saved.progress;
  const canSend = (type: IdentifierType) =>
    type !== 'username' && tools.messenger.canSend(type === 'email' ? 'email' : 'sms');
  if (event === 'Register') return settings.signUp.identifiers.filter((type) => type === 'username' || canSend(type));
  const methods = usableMethods(flow).filter(({ identifier }) => event === 'SignIn' || canSend(identifier));
  return methods.map(({ identifier }) => identifier);
}

/** A new account can be identified by this kind. @throws 422 `session.not_allowed` */
export function requireSignUp({ settings }: Flow, type: IdentifierType): void {
  const { signInMode, signUp } = settings;
  const isAllowed = signInMode === 'SignInAndRegister' && signUp.identifiers.some((allowed) => allowed === type);
  if (!isAllowed) throw new ServiceError('session.not_allowed');
}

/**
 * The settings have a use for this kind in the current event: to sign in or reset by it, or on a new account. After
 * signing in by something else, a user adds whatever the account lacks.
 *
 * @throws 422 `session.not_allowed`
 */
export function requireAsked(flow: Flow, type: IdentifierType): void {
  const { event, userId } = progressOf(flow);
  if (userId !== undefined) return;
  const { identifiers, requiredIdentifiers } = flow.settings.signUp;
  const asked: IdentifierType[] =
    event === 'Register'
      ? [...identifiers, ...requiredIdentifiers]
      : usableMethods(flow).map(({ identifier }) => identifier);
  if (!asked.includes(type)) throw new ServiceError('session.not_allowed');
}
