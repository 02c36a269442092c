import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import type { FactorType, IdentifierType } from '../settings.ts';

export type InteractionEvent = 'SignIn' | 'Register' | 'ForgotPassword';

export interface Identifier {
  type: IdentifierType;
  value: string;
}

export type VerificationType =
  | 'Password'
  | 'NewPasswordIdentity'
  | 'EmailVerificationCode'
  | 'PhoneVerificationCode'
  | 'Social'
  | 'EnterpriseSso'
  | FactorType;

/** A proof of identity that was started. It has been given once `isVerified` is true. */
export interface Verification {
  id: string;
  type: VerificationType;
  isVerified: boolean;
  /** The identifier that a password or code belongs to. */
  identifier?: Identifier;
  /**
   * The account that it proves. Known at once for a password, a factor or a linked identity; for a code, when the
   * account is identified.
   */
  userId?: string;
  /** `credentialsOf` the account before the proof was given. Once they differ, the proof is no longer valid. */
  credentials?: string;
  /** The second factor that was proven, so that a factor replacing it is not. */
  factorId?: string;
  /** Data that the proof needs until it is given or used, such as a challenge or a new factor's secret. Never shown. */
  details?: Record<string, unknown>;
}

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
export const INTERACTION_LIFETIME_MS = 60 * 60 * 1000;

export const progressPurposeOf = (tenantId: string, id: string): string => `sign-in-progress:${tenantId}:${id}`;

/**
 * Stores the progress of a tenant's interactions. It is sealed, because it contains identifiers and secrets of new
 * factors.
 */
export class ProgressStore {
  readonly #store: TenantStore;
  readonly #secrets: SecretBox;

  constructor(store: TenantStore, secrets: SecretBox) {
    this.#store = store;
    this.#secrets = secrets;
  }

  async find(id: string): Promise<SavedProgress | undefined> {
    const row = await this.#store.find('signInProgress', { id });
    if (!row) return undefined;
    const { version, finishedAt, stateEncrypted } = row;
    return {
      version,
      finishedAt,
      progress: JSON.parse(this.#secrets.open(stateEncrypted, progressPurposeOf(this.#store.tenantId, id))),
    };
  }

  async begin(id: string, progress: Progress, now: number): Promise<void> {
    const fresh = {
      id,
      version: 0,
      stateEncrypted: this.#seal(id, progress),
      expiresAt: now + INTERACTION_LIFETIME_MS,
    };
    await this.#store.addMissing('signInProgress', [fresh]);
  }

  /**
   * Saves the progress after a step, or as finished in the transaction that writes its changes.
   *
   * @throws 409 `session.conflict` if another request was faster or the interaction is finished, so that a form sent
   * twice acts once
   */
  async save(id: string, { progress, version, finishedAt }: SavedProgress, store = this.#store): Promise<void> {
    const next = { version: version + 1, finishedAt, stateEncrypted: this.#seal(id, progress) };
    const saved = await store.change('signInProgress', { id, version, finishedAt: null }, next);
    if (saved !== 1) throw new ServiceError('session.conflict');
  }

  #seal(id: string, progress: Progress): string {
    return this.#secrets.seal(JSON.stringify(progress), progressPurposeOf(this.#store.tenantId, id));
  }
}
