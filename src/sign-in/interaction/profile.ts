import { ServiceError } from '../../errors.ts';
import type { IdentifierType } from '../settings.ts';
import { requireAllowed } from './allowed-identifiers.ts';
import { requireStep } from './events.ts';
import { type Flow, identifiedUser, progressOf, verificationOf } from './flow.ts';
import { columnOf, readIdentifier, requireFree } from './identifiers.ts';
import type { Identifier } from './verification.ts';

/** Reads an identifier that the user adds to an account that lacks it. @throws 422 if it belongs to another account */
export async function readMissingIdentifier(flow: Flow, text: string, type: IdentifierType): Promise<Identifier> {
  await requireStep(flow, 'profile');
  requireAllowed(flow, type);
  const identifier = readIdentifier(text, [type]);
  // An email address that is in use is refused only after it was verified. A username cannot be verified, so attempts
  // are limited.
  if (type === 'username') {
    const { limits } = flow.tools;
    if (flow.isAccountPage) await limits.take(flow.store, 'username', progressOf(flow).userId);
    else await limits.take(flow.store, 'registration', flow.facts.ip);
    await requireFree(flow.store, identifier);
  }
  return identifier;
}

/** Adds a username, which needs no proof. Email addresses and phone numbers come from a verified code. */
export async function addUsername(flow: Flow, identifier: Identifier): Promise<void> {
  await requireStep(flow, 'profile');
  if (identifier.type !== 'username') throw new ServiceError('session.not_allowed');
  await requireMissing(flow, identifier.type);
  await requireFree(flow.store, identifier);
  progressOf(flow).account.username = identifier.value;
}

/** @throws 422 `session.verification_not_found`, `user.…_already_in_use` */
export async function addVerifiedIdentifier(flow: Flow, verificationId: string): Promise<void> {
  await requireStep(flow, 'profile');
  const { identifier } = verificationOf(flow, verificationId, true);
  if (!identifier || identifier.type === 'username') throw new ServiceError('session.verification_not_found');
  await requireMissing(flow, identifier.type);
  await requireFree(flow.store, identifier);
  progressOf(flow).account[columnOf[identifier.type]] = identifier.value;
}

/** A sign-in adds what the account lacks. Only the account page replaces. @throws 422 `session.not_allowed` */
async function requireMissing(flow: Flow, type: IdentifierType): Promise<void> {
  const { event } = progressOf(flow);
  if (event !== 'SignIn' || flow.isAccountPage) return;
  const user = await identifiedUser(flow);
  if (user[columnOf[type]] !== null) throw new ServiceError('session.not_allowed');
}
