import { newId, newShortId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { endSessions } from '../../tokens/revocation/end-access.ts';
import { requireNotHeld } from '../proofs/bind-factor.ts';
import { insertFactor } from '../proofs/factors.ts';
import { methodOf } from './allowed-identifiers.ts';
import { isSecondFactor, proofsOf } from './authentication-methods.ts';
import { credentialsOf, requireUnchanged } from './credentials.ts';
import { writable } from './events.ts';
import { type Flow, progressOf } from './flow.ts';
import { newProgress, type Progress, writeProgress } from './progress.ts';
import { recordInteractionEvent, recordUserAudit, recordUserEvent } from './record-events.ts';
import type { Verification } from './verification.ts';

/** The events that each interaction records when it completes (docs/wire-contract.md, Events). */
export const completionEvents = {
  SignIn: { event: 'PostSignIn', ifDataChanged: 'User.Data.Updated' },
  Register: { event: 'PostRegister', first: 'User.Created' },
  ForgotPassword: { event: 'PostResetPassword', first: 'User.Data.Updated' },
} as const;

/**
 * Writes everything the interaction gathered, its events and its audit row in one transaction, once: a second request
 * finds the interaction finished.
 *
 * @throws 409 `session.conflict` if the interaction or the account changed in the meantime
 */
export async function complete(flow: Flow): Promise<UserRow> {
  const progress = progressOf(flow);
  const { user, next, finishedAt } = await flow.store.transaction(async (store) => {
    const user = progress.event === 'Register' ? await createUser(store, flow) : await updateUser(store, flow);
    await insertGathered(store, flow, user.id);
    await recordCompletion(store, flow, user);
    const next = nextProgress(flow, user.id, await credentialsOf(store, user));
    const finishedAt = progress.event === 'ForgotPassword' ? null : flow.now;
    await writeProgress({ ...flow, store }, flow.uid, { ...flow.saved, progress: next, finishedAt });
    return { user, next, finishedAt };
  });
  Object.assign(flow.saved, { progress: next, finishedAt });
  flow.tools.onOutcome?.(progress.event, 'completed');
  return user;
}

/**
 * Returns the progress after completion: the proofs, without the data that was written. A reset is followed by a
 * sign-in with the second factor that it just verified: a TOTP code works only once, so asking again would make the
 * user wait for the next one.
 */
function nextProgress(flow: Flow, userId: string, credentials: string | undefined): Progress {
  const { event, identifier, verifications } = progressOf(flow);
  const proven = verifications.filter((one) => one.isVerified).map((one) => ({ ...one, details: undefined }));
  const owner = { userId, ...(credentials && { credentials }) };
  if (event !== 'ForgotPassword') return { ...newProgress(event), verifications: proven, ...owner };
  const secondFactors = proven.filter(({ type }) => isSecondFactor(type));
  const next = { ...newProgress('SignIn'), ...(identifier && { identifier }) };
  const password = passwordProof(flow, owner);
  if (!password) return { ...next, verifications: secondFactors, notice: 'passwordChanged' };
  return { ...next, verifications: [password, ...secondFactors], ...owner };
}

/**
 * Returns the proof that the sign-in after a reset begins with: the user has just entered the password that is now the
 * account's. Undefined if the tenant does not let the proven address or number sign in with a password. Everything else
 * that a sign-in asks for is still asked for: missing identifiers, and a second factor to set up.
 */
function passwordProof(flow: Flow, owner: Pick<Verification, 'userId' | 'credentials'>): Verification | undefined {
  const code = progressOf(flow).verifications.find(
    ({ isVerified, userId, identifier }) => isVerified && userId === owner.userId && identifier !== undefined,
  );
  if (!code?.identifier || methodOf(flow, code.identifier)?.password !== true) return undefined;
  return { id: newId(), type: 'Password', isVerified: true, identifier: code.identifier, ...owner };
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

/** Updates the user. `updatedAt` changes only when data does; signing in alone leaves it. */
async function updateUser(store: TenantStore, flow: Flow): Promise<UserRow> {
  const { event, rehash } = progressOf(flow);
  const { account, passwordHash, factors } = writable(progressOf(flow));
  const id = progressOf(flow).userId as string;
  await requireUnchanged(store, id, progressOf(flow).credentials);
  const isChange = event === 'ForgotPassword' || writesData(flow);
  const patch = {
    ...account,
    ...(passwordHash && { passwordHash }),
    ...(event === 'SignIn' && { lastSignInAt: flow.now }),
    ...(isChange && { updatedAt: flow.now }),
  };
  // Writes only what is still missing: another device may have added an address in the meantime.
  const stillMissing = Object.fromEntries(Object.keys(account).map((column) => [column, null]));
  const changed = await store.change('users', { id, isSuspended: false, ...stillMissing }, patch);
  if (changed !== 1) throw new ServiceError('session.conflict');
  for (const { type } of factors) await requireNotHeld(flow, store, type);
  // Replaces the hash only if it is still the one that the entered password was verified against.
  if (event === 'SignIn' && rehash?.userId === id)
    await store.change('users', { id, passwordHash: rehash.from }, { passwordHash: rehash.to });
  if (event === 'ForgotPassword') await endSessions(store, id, flow);
  return store.get('users', { id });
}

const writesData = (flow: Flow): boolean => {
  const { account, identities, factors } = writable(progressOf(flow));
  return Object.keys(account).length > 0 || identities.length > 0 || factors.length > 0;
};

export async function insertGathered(store: TenantStore, flow: Flow, userId: string): Promise<void> {
  const { identities, factors } = writable(progressOf(flow));
  await store.add(
    'userIdentities',
    identities.map((identity) => ({ ...identity, userId, createdAt: flow.now })),
  );
  for (const factor of factors) await insertFactor(store, flow.tools.secrets, userId, factor, flow.now);
}

async function recordCompletion(store: TenantStore, flow: Flow, user: UserRow): Promise<void> {
  const progress = progressOf(flow);
  const events = completionEvents[progress.event];
  if ('first' in events) await recordUserEvent(store, events.first, user, flow);
  if ('ifDataChanged' in events && writesData(flow)) await recordUserEvent(store, events.ifDataChanged, user, flow);
  await recordInteractionEvent(store, events.event, user, flow);
  const verified = proofsOf(progress, user.id).map(({ type }) => type);
  await recordUserAudit(store, `SignIn.${progress.event}`, user.id, flow, { verifications: verified });
}
