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

/** One proof: begun, and once `isVerified`, given. */
export interface Verification {
  id: string;
  type: VerificationType;
  isVerified: boolean;
  /** Whose: of a password or a code. */
  identifier?: Identifier;
  /** The account it proves: at once of a password, a factor or a linked identity, of a code when it names the account. */
  userId?: string;
  /** `credentialsOf` the account before the proof was given. Once they differ, the proof names nobody. */
  credentials?: string;
  /** Of a second factor: the one that was proven, so that its successor is not. */
  factorId?: string;
  /** What the proof needs until it is given or used: a challenge, a new factor's secret. Never shown. */
  details?: Record<string, unknown>;
}

/** A factor that is written when the interaction completes. `secret` is not sealed yet: the whole state is. */
export interface NewFactor {
  type: FactorType;
  secret: string;
  details: Record<string, unknown>;
  /** Start of the period whose code proved it (epoch ms), so that this code is not taken again. */
  lastUsedAt?: number;
}

export interface NewIdentity {
  target: string;
  externalId: string;
  isSso: boolean;
  details: Record<string, unknown>;
}

/** How far a person has come. Nothing of it is on their account before the interaction completes. */
export interface Progress {
  event: InteractionEvent;
  /** What was typed first, and is shown until it is changed. */
  identifier?: Identifier;
  /** What is likely to be typed, from an earlier step. */
  suggested?: string;
  verifications: Verification[];
  /** Who it is, once that was proven with a first factor. */
  userId?: string;
  /** `credentialsOf` the account when it was proven. Once they differ, what was proven and gathered is forgotten. */
  credentials?: string;
  /** Written to the account at the end: of a registration all of it, of a sign-in what was missing or is linked. */
  account: { username?: string; primaryEmail?: string; primaryPhone?: string; name?: string; avatar?: string };
  /** Of a registration or a reset. */
  passwordHash?: string;
  /** The password that was typed, hashed at today's cost, in place of the hash it was verified against. */
  rehash?: { userId: string; from: string; to: string };
  identities: NewIdentity[];
  /** Name of the provider whose identity waits until the account is proven. */
  linking?: string;
  /** The only account that the gathered identities may be linked to. */
  linkingTo?: string;
  factors: NewFactor[];
  /** What happened before this step and is told once. */
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

/** As long as an interaction of oidc-provider lives. */
const LIFETIME_MS = 60 * 60 * 1000;

export const progressPurposeOf = (tenantId: string, id: string): string => `sign-in-progress:${tenantId}:${id}`;

/** The progress of each interaction in one tenant, sealed: it holds identifiers, secrets of new factors and the like. */
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
    const fresh = { id, version: 0, stateEncrypted: this.#seal(id, progress), expiresAt: now + LIFETIME_MS };
    await this.#store.addMissing('signInProgress', [fresh]);
  }

  /**
   * One step on. @throws 409 `session.conflict` when another request was faster, so that a form sent
   * twice acts once.
   */
  async save(id: string, { progress, version }: SavedProgress, store = this.#store): Promise<void> {
    const next = { version: version + 1, stateEncrypted: this.#seal(id, progress) };
    const saved = await store.change('signInProgress', { id, version, finishedAt: null }, next);
    if (saved !== 1) throw new ServiceError('session.conflict');
  }

  /** In the transaction of what the interaction changes: it completes once. */
  async finish(id: string, { progress, version }: SavedProgress, store: TenantStore, now: number): Promise<void> {
    const last = { version: version + 1, finishedAt: now, stateEncrypted: this.#seal(id, progress) };
    const finished = await store.change('signInProgress', { id, version, finishedAt: null }, last);
    if (finished !== 1) throw new ServiceError('session.conflict');
  }

  #seal(id: string, progress: Progress): string {
    return this.#secrets.seal(JSON.stringify(progress), progressPurposeOf(this.#store.tenantId, id));
  }
}
