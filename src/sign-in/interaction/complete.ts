import { newShortId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { endSessions } from '../../tokens/revocation/end-access.ts';
import { requireNotHeld } from '../proofs/bind-factor.ts';
import { insertFactor } from '../proofs/factors.ts';
import { announceInteraction, announceUser, auditPerson, type Occasion } from './announce.ts';
import { isSecondFactor, proofsOf } from './authentication-methods.ts';
import { credentialsOf, requireUnchanged } from './credentials.ts';
import { writable } from './events.ts';
import { type Flow, progressOf } from './flow.ts';
import { newProgress, type Progress, ProgressStore } from './progress.ts';

/** What an interaction announces when it completes: tables 6.1 and 6.4 of the specification. */
export const announced = {
  SignIn: { event: 'PostSignIn', whenLinked: 'User.Data.Updated' },
  Register: { event: 'PostRegister', first: 'User.Created' },
  ForgotPassword: { event: 'PostResetPassword', first: 'User.Data.Updated' },
} as const;

export const occasionOf = (flow: Flow): Occasion => ({
  facts: flow.facts,
  requestId: flow.requestId,
  now: flow.now,
  sessionId: flow.publicId,
  interactionEvent: progressOf(flow).event,
  application: flow.application,
});

/**
 * Writes all that the interaction has gathered, its events and its audit row in one transaction, once:
 * the second of two requests finds the interaction finished.
 */
export async function complete(flow: Flow): Promise<UserRow> {
  const progress = progressOf(flow);
  const progressStore = new ProgressStore(flow.store, flow.tools.secrets);
  const { user, next } = await flow.store.transaction(async (store) => {
    const user = progress.event === 'Register' ? await createUser(store, flow) : await updateUser(store, flow);
    await linkAll(store, flow, user.id);
    await announceCompletion(store, flow, user);
    const next = nextProgress(progress, user.id, await credentialsOf(store, user));
    if (progress.event === 'ForgotPassword')
      await progressStore.save(flow.uid, { ...flow.saved, progress: next }, store);
    else await progressStore.finish(flow.uid, { ...flow.saved, progress: next }, store, flow.now);
    return { user, next };
  });
  flow.saved.progress = next;
  flow.tools.onOutcome?.(progress.event, 'completed');
  return user;
}

/**
 * Keeps of what was gathered who it is. After a reset comes a sign-in with the new password, which takes the second factor
 * that the reset has just asked for: a code of an authenticator app works once, so asking again would make people wait.
 */
function nextProgress(
  { event, identifier, verifications }: Progress,
  userId: string,
  credentials: string | undefined,
): Progress {
  const proven = verifications.map(({ details: _, ...kept }) => kept);
  if (event !== 'ForgotPassword')
    return { ...newProgress(event), verifications: proven, userId, ...(credentials && { credentials }) };
  const secondFactors = proven.filter(({ type, isVerified }) => isVerified && isSecondFactor(type));
  return {
    ...newProgress('SignIn'),
    verifications: secondFactors,
    notice: 'passwordChanged',
    ...(identifier && { identifier }),
  };
}

async function createUser(store: TenantStore, flow: Flow): Promise<UserRow> {
  const { account, passwordHash } = writable(progressOf(flow));
  const user = await store.insert('users', {
    ...account,
    id: newShortId(),
    passwordHash: passwordHash ?? null,
    customData: {},
    profile: {},
    applicationId: flow.application?.id ?? null,
    isSuspended: false,
    lastSignInAt: flow.now,
    createdAt: flow.now,
    updatedAt: flow.now,
  });
  const roles = await store.from('roles').where({ isDefault: true, type: 'User' }).select('id');
  await store.add(
    'userRoles',
    roles.map(({ id }) => ({ userId: user.id, roleId: id })),
  );
  return user;
}

/** `updatedAt` is the time of the last change of data; signing in is none. */
async function updateUser(store: TenantStore, flow: Flow): Promise<UserRow> {
  const { event, rehash } = progressOf(flow);
  const { account, passwordHash, factors } = writable(progressOf(flow));
  const id = progressOf(flow).userId as string;
  await requireUnchanged(store, id, progressOf(flow).credentials);
  const isChange = event === 'ForgotPassword' || isLinking(flow);
  const patch = {
    ...account,
    ...(passwordHash && { passwordHash }),
    ...(event === 'SignIn' && { lastSignInAt: flow.now }),
    ...(isChange && { updatedAt: flow.now }),
  };
  // Only what is still missing: another device may have added an address meanwhile.
  const stillMissing = Object.fromEntries(Object.keys(account).map((column) => [column, null]));
  const changed = await store.change('users', { id, isSuspended: false, ...stillMissing }, patch);
  if (changed !== 1) throw new ServiceError('session.conflict');
  for (const { type } of factors) await requireNotHeld(flow, store, type);
  // The password may have been changed since it was typed; its new hash stays.
  if (event === 'SignIn' && rehash?.userId === id)
    await store.change('users', { id, passwordHash: rehash.from }, { passwordHash: rehash.to });
  if (event === 'ForgotPassword') await endSessions(store, id, flow);
  return store.get('users', { id });
}

const isLinking = (flow: Flow): boolean => {
  const { account, identities, factors } = writable(progressOf(flow));
  return Object.keys(account).length > 0 || identities.length > 0 || factors.length > 0;
};

export async function linkAll(store: TenantStore, flow: Flow, userId: string): Promise<void> {
  const { identities, factors } = writable(progressOf(flow));
  await store.add(
    'userIdentities',
    identities.map((identity) => ({ ...identity, userId, createdAt: flow.now })),
  );
  for (const factor of factors) await insertFactor(store, flow.tools.secrets, { userId, factor, now: flow.now });
}

async function announceCompletion(store: TenantStore, flow: Flow, user: UserRow): Promise<void> {
  const progress = progressOf(flow);
  const occasion = occasionOf(flow);
  const events = announced[progress.event];
  if ('first' in events) await announceUser(store, events.first, user, occasion);
  if ('whenLinked' in events && isLinking(flow)) await announceUser(store, events.whenLinked, user, occasion);
  await announceInteraction(store, events.event, user, occasion);
  const verified = proofsOf(progress, user.id).map(({ type }) => type);
  await auditPerson(store, `SignIn.${progress.event}`, user.id, occasion, { verifications: verified });
}
