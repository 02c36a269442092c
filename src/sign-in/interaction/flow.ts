import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ApplicationRow, UserRow } from '../../database/tables/index.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { ClientFacts } from '../../http/context.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Tenant } from '../../tenants.ts';
import type { Messenger } from '../messages/messenger.ts';
import type { RelyingParty } from '../proofs/relying-party.ts';
import type { SignInSettings } from '../settings.ts';
import type { Limits } from './limits.ts';
import type { InteractionEvent, Progress, SavedProgress, Verification } from './progress.ts';

/** An account that this browser signed in to. */
export interface KnownAccount {
  userId: string;
  /** Names the browser for this account. Its wrong passwords are counted by this. */
  browserId: string;
  /** Stands for the password that the account had then: after another one, the browser is a stranger's like any other. */
  password: string;
  /** Epoch milliseconds. */
  until: number;
}

export type KnownAccounts = readonly KnownAccount[];

/** Told how the steps of people end: `completed`, or the code of the refusal. */
export type SignInObserver = (event: InteractionEvent, outcome: 'completed' | ErrorCode) => void;

/** What actions use besides the tenant's rows. */
export interface Tools {
  secrets: SecretBox;
  clock: Clock;
  logger: Logger;
  limits: Limits;
  messenger: Messenger;
  relyingParty: RelyingParty;
  onOutcome?: SignInObserver | undefined;
}

/** One request of one interaction: what every action is given. Actions change `saved.progress` and nothing else. */
export interface Flow {
  readonly tenant: Tenant;
  readonly store: TenantStore;
  readonly settings: SignInSettings;
  readonly tools: Tools;
  /** The uid of oidc-provider's interaction. Only the browser that began it knows it: see `publicId`. */
  readonly uid: string;
  /** Stands for the interaction wherever others look: `state` at identity providers, events, the audit log. */
  readonly publicId: string;
  /** True on the account page, which is no interaction. */
  readonly isAccountPage?: boolean;
  /** `credentialsOf` the account when the request of the account page was opened. */
  readonly credentials?: string;
  /** The browser's session, when someone is signed in there already. */
  readonly sessionUid: string | undefined;
  readonly application: ApplicationRow | undefined;
  readonly facts: ClientFacts;
  /** Accounts that this browser signed in to before. */
  readonly knownAccounts: KnownAccounts;
  readonly requestId: string;
  /** One instant per request. */
  readonly now: number;
  readonly saved: SavedProgress;
}

export const progressOf = (flow: Flow): Progress => flow.saved.progress;

export function addVerification(flow: Flow, verification: Omit<Verification, 'id'>): Verification {
  const added = { id: newId(), ...verification };
  progressOf(flow).verifications.push(added);
  return added;
}

/** @throws 422 `session.verification_not_found` when there is none of this id, or of this state */
export function verificationOf(flow: Flow, id: string, isVerified: boolean): Verification {
  const found = progressOf(flow).verifications.find((verification) => verification.id === id);
  if (!found || found.isVerified !== isVerified) throw new ServiceError('session.verification_not_found');
  return found;
}

/** The account that a first factor was proven for. @throws 422 when nobody was identified, or the user is suspended */
export async function identifiedUser(flow: Flow): Promise<UserRow> {
  const { userId } = progressOf(flow);
  const user = userId ? await flow.store.find('users', { id: userId }) : undefined;
  if (!user) throw new ServiceError('session.identifier_required');
  if (user.isSuspended) throw new ServiceError('user.suspended');
  return user;
}
