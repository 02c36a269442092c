import type { UserRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import { newShortId } from '../ids.ts';
import { endJwts } from '../oidc/issued-jwts.ts';
import { announceInteraction, announceUser, auditPerson, type Occasion } from './announce.ts';
import { insertFactor } from './factors.ts';
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
  sessionId: flow.uid,
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
    const next = nextProgress(progress, user.id);
    if (progress.event === 'ForgotPassword')
      await progressStore.save(flow.uid, { ...flow.saved, progress: next }, store);
    else await progressStore.finish(flow.uid, { ...flow.saved, progress: next }, store, flow.now);
    return { user, next };
  });
  flow.saved.progress = next;
  flow.tools.onOutcome?.(progress.event, 'completed');
  return user;
}

/** Of what was gathered nothing is kept but who it is. After a reset comes a sign-in with the new password. */
const nextProgress = ({ event, identifier, verifications }: Progress, userId: string): Progress =>
  event === 'ForgotPassword'
    ? { ...newProgress('SignIn'), ...(identifier && { identifier }), notice: 'passwordChanged' }
    : { ...newProgress(event), verifications: verifications.map(({ details: _, ...kept }) => kept), userId };

async function createUser(store: TenantStore, flow: Flow): Promise<UserRow> {
  const { account, passwordHash } = progressOf(flow);
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
  const { event, userId, account, passwordHash } = progressOf(flow);
  const isChange = event === 'ForgotPassword' || isLinking(flow);
  const patch = {
    ...account,
    ...(passwordHash && { passwordHash }),
    ...(event === 'SignIn' && { lastSignInAt: flow.now }),
    ...(isChange && { updatedAt: flow.now }),
  };
  // A user suspended or deleted since the first factor was proven does not get in.
  const changed = await store.change('users', { id: userId as string, isSuspended: false }, patch);
  if (changed !== 1) throw new ServiceError('user.suspended');
  if (event === 'ForgotPassword') await endSessions(store, userId as string, flow.sessionUid, flow.now);
  return store.get('users', { id: userId as string });
}

/** Whoever knew the old password is out everywhere: sessions, the console, grants, refresh tokens and access tokens. */
export async function endSessions(
  store: TenantStore,
  accountId: string,
  exceptUid: string | undefined,
  now: number,
): Promise<void> {
  await store.removeAll('consoleSessions', { userId: accountId });
  await store.removeWhere('oidcPayloads', (payload) =>
    payload.where({ accountId }).where((kept) => kept.whereNull('uid').orWhereNot({ uid: exceptUid ?? '' })),
  );
  await endJwts(store, { accountId }, now);
}

const isLinking = (flow: Flow): boolean => {
  const { account, identities, factors } = progressOf(flow);
  return Object.keys(account).length > 0 || identities.length > 0 || factors.length > 0;
};

export async function linkAll(store: TenantStore, flow: Flow, userId: string): Promise<void> {
  const { identities, factors } = progressOf(flow);
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
  const verified = progress.verifications.filter(({ isVerified }) => isVerified).map(({ type }) => type);
  await auditPerson(store, `SignIn.${progress.event}`, user.id, occasion, { verifications: verified });
}
