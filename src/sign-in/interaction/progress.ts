import type { SecretBox } from '../../base/secret-box.ts';
import { HOUR_MS } from '../../base/times.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import type { FactorType } from '../settings.ts';
import type { Identifier, Verification } from './verification.ts';

export type InteractionEvent = 'SignIn' | 'Register' | 'ForgotPassword';

/**
 * A factor that is written when the interaction completes. `secret` is not sealed by itself, because the whole state
 * is.
 */
export interface NewFactor {
  type: FactorType;
  secret: string;
  details: Record<string, unknown>;
  /** Start of the TOTP period whose code proved the factor (epoch ms), so that this code is not accepted again. */
  lastUsedAt?: number;
}

export interface NewIdentity {
  target: string;
  externalId: string;
  isSso: boolean;
  details: Record<string, unknown>;
}

/** The state of an interaction. Nothing in it is written to the account before the interaction completes. */
export interface Progress {
  event: InteractionEvent;
  /** The identifier that the user entered. Shown until it is changed. */
  identifier?: Identifier;
  /** An identifier from an earlier step to prefill the field with. */
  suggested?: string;
  verifications: Verification[];
  /** The account, once it was identified by a first factor. */
  userId?: string;
  /**
   * `credentialsOf` the account when it was identified. Once they differ, everything proven and gathered is dropped.
   */
  credentials?: string;
  /**
   * Columns written on completion: for a registration all of them, for a sign-in those that were missing or come with a
   * linked identity.
   */
  account: { username?: string; primaryEmail?: string; primaryPhone?: string; name?: string; avatar?: string };
  /** Set in a registration or a reset. */
  passwordHash?: string;
  /** The entered password hashed at the current cost, to replace the hash that it was verified against. */
  rehash?: { userId: string; from: string; to: string };
  identities: NewIdentity[];
  /** Name of the provider whose identity is linked once the account is proven. */
  linking?: string;
  /** The only account that the gathered identities may be linked to. */
  linkingTo?: string;
  factors: NewFactor[];
  /** Shown once on the next page. */
  notice?: 'passwordChanged';
}

export const newProgress = (event: InteractionEvent): Progress => ({
  event,
  verifications: [],
  account: {},
  identities: [],
  factors: [],
});

export interface SavedProgress {
  progress: Progress;
  version: number;
  finishedAt: number | null;
}

export const unsaved = (progress: Progress): SavedProgress => ({ progress, version: 0, finishedAt: null });

/** The lifetime of an interaction in oidc-provider. */
export const INTERACTION_LIFETIME_MS = HOUR_MS;

export const progressPurposeOf = (tenantId: string, id: string): string => `sign-in-progress:${tenantId}:${id}`;

/** The part of a `Flow` that reads and writes progress. */
interface Keeper {
  store: TenantStore;
  tools: { secrets: SecretBox };
}

/** Seals the progress, because it contains identifiers and secrets of new factors. */
const sealed = ({ store, tools }: Keeper, id: string, progress: Progress): string =>
  tools.secrets.seal(JSON.stringify(progress), progressPurposeOf(store.tenantId, id));

export async function findProgress({ store, tools }: Keeper, id: string): Promise<SavedProgress | undefined> {
  const row = await store.find('signInProgress', { id });
  if (!row) return undefined;
  const { version, finishedAt, stateEncrypted } = row;
  const progress = JSON.parse(tools.secrets.open(stateEncrypted, progressPurposeOf(store.tenantId, id)));
  return { version, finishedAt, progress };
}

export async function beginProgress(keeper: Keeper, id: string, progress: Progress, now: number): Promise<void> {
  const fresh = {
    id,
    version: 0,
    stateEncrypted: sealed(keeper, id, progress),
    expiresAt: now + INTERACTION_LIFETIME_MS,
  };
  await keeper.store.addMissing('signInProgress', [fresh]);
}

/**
 * Writes the progress after a step, or as finished in the transaction that writes its changes.
 *
 * @throws 409 `session.conflict` if another request was faster or the interaction is finished, so that a form sent
 * twice acts once
 */
export async function writeProgress(keeper: Keeper, id: string, saved: SavedProgress): Promise<void> {
  const { progress, version, finishedAt } = saved;
  const next = { version: version + 1, finishedAt, stateEncrypted: sealed(keeper, id, progress) };
  const written = await keeper.store.change('signInProgress', { id, version, finishedAt: null }, next);
  if (written !== 1) throw new ServiceError('session.conflict');
}
