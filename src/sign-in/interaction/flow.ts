import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ApplicationRow, UserRow } from '../../database/tables/index.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { ClientFacts } from '../../http/context.ts';
import type { ExactLimits } from '../../http/rate-limits/exact-limits.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Tenant } from '../../tenants.ts';
import type { Messenger } from '../messages/messenger.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { RelyingParty } from '../proofs/relying-party.ts';
import type { TenantSettings } from '../settings.ts';
import { beginProgress, type InteractionEvent, type Progress, type SavedProgress, writeProgress } from './progress.ts';
import type { Proof, Verification } from './verification.ts';

/** An account that this browser signed in to. */
export interface KnownAccount {
  userId: string;
  /** Identifies the browser for this account. Its failed attempts are counted by this id. */
  browserId: string;
  /** Derived from the password hash at that time. After a password change the browser is no longer known. */
  password: string;
  /** When the browser stops being known for this account, in epoch milliseconds. */
  until: number;
}

/** Called after each step with `completed` or the code of the refusal. */
export type SignInObserver = (event: InteractionEvent, outcome: 'completed' | ErrorCode) => void;

/** The services that actions use, apart from the tenant's rows. */
export interface Tools {
  secrets: SecretBox;
  clock: Clock;
  logger: Logger;
  limits: ExactLimits;
  messenger: Messenger;
  passwords: Passwords;
  relyingParty: RelyingParty;
  onOutcome?: SignInObserver | undefined;
}

/** One request of one interaction, passed to every action. Actions change `saved.progress` and nothing else. */
export interface Flow {
  readonly tenant: Tenant;
  readonly store: TenantStore;
  readonly settings: TenantSettings;
  readonly tools: Tools;
  /** The uid of oidc-provider's interaction. Only the browser that started it knows it; others see `publicId`. */
  readonly uid: string;
  /** Identifies the interaction to others: in `state` at identity providers, in events and in the audit log. */
  readonly publicId: string;
  /** True on the account page, which has no interaction. */
  readonly isAccountPage?: boolean;
  /** `credentialsOf` the account when the request of the account page was opened. */
  readonly credentials?: string;
  /** The browser's session, if it is already signed in. */
  readonly sessionUid: string | undefined;
  readonly application: ApplicationRow | undefined;
  readonly facts: ClientFacts;
  /** Accounts that this browser signed in to before. */
  readonly knownAccounts: readonly KnownAccount[];
  readonly requestId: string;
  /** The time of the request. One value, so that all checks agree. */
  readonly now: number;
  readonly saved: SavedProgress;
}

export const progressOf = (flow: Flow): Progress => flow.saved.progress;

/** Saves the progress, also for the first request of an interaction, which has no row yet. */
export async function saveProgress(flow: Flow): Promise<void> {
  if (flow.saved.version === 0) await beginProgress(flow, flow.uid, progressOf(flow), flow.now);
  await writeProgress(flow, flow.uid, flow.saved);
}

export function addVerification<P extends Proof>(flow: Flow, proof: P): Verification<P> {
  const added = { id: newId(), ...proof };
  progressOf(flow).verifications.push(added);
  return added;
}

/** Replaces a started proof by the given one, which keeps its id. */
export function giveProof<P extends Proof>(flow: Flow, { id }: Verification, proof: P): Verification<P> {
  const given = { id, ...proof };
  const { verifications } = progressOf(flow);
  const place = verifications.findIndex((one) => one.id === id);
  verifications.splice(place, 1, given);
  return given;
}

/** @throws 422 `session.verification_not_found` if there is none with this id in this state */
export function verificationOf<V extends boolean>(flow: Flow, id: string, isVerified: V) {
  type Found = Extract<Verification, { isVerified: V }>;
  const found = progressOf(flow).verifications.find(
    (one): one is Found => one.id === id && one.isVerified === isVerified,
  );
  if (!found) throw new ServiceError('session.verification_not_found');
  return found;
}

/**
 * Returns the account that was identified by a first factor.
 *
 * @throws 422 `session.identifier_required`, `user.suspended`
 */
export async function identifiedUser(flow: Flow): Promise<UserRow> {
  const { userId } = progressOf(flow);
  const user = userId ? await flow.store.find('users', { id: userId }) : undefined;
  if (!user) throw new ServiceError('session.identifier_required');
  if (user.isSuspended) throw new ServiceError('user.suspended');
  return user;
}
