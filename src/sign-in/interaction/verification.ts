import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Handshake, SocialIdentity } from '../proofs/relying-party.ts';
import type { IdentifierType } from '../settings.ts';

export interface Identifier {
  type: IdentifierType;
  value: string;
}

/** The members that proofs of every type can have. */
interface Facts {
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
}

/** A proof that was started. `details` is what it takes to verify it, such as a challenge. Never shown. */
interface Started<Type extends string, Details> extends Facts {
  type: Type;
  isVerified: false;
  details: Details;
}

/** A proof that was given. `details` is what will be written to the account. Never shown, and gone after completion. */
interface Given<Type extends string, Details = never> extends Facts {
  type: Type;
  isVerified: true;
  details?: Details;
}

type CodeType = 'EmailVerificationCode' | 'PhoneVerificationCode';
export type SentCode = Started<CodeType, { codeId: string; sentAt: number }> & { identifier: Identifier };

type SocialType = 'Social' | 'EnterpriseSso';
export type StartedSocial = Started<SocialType, Handshake>;
export type SocialProof = Given<SocialType, { target: string; social: SocialIdentity }>;

/** The challenge of each ceremony of WebAuthn: creating a passkey, and using one. */
export interface Ceremonies {
  create: PublicKeyCredentialCreationOptionsJSON;
  get: PublicKeyCredentialRequestOptionsJSON;
}
export type Ceremony = keyof Ceremonies;
export type StartedPasskey<C extends Ceremony = Ceremony> = Started<
  'WebAuthn',
  { ceremony: C; options: Ceremonies[C] }
>;

/** The stored data of a passkey, apart from its public key. */
export interface PasskeyDetails extends Record<string, unknown> {
  credentialId: string;
  counter: number;
  transports?: string[];
}

/** A proof of identity, told apart by `type` and `isVerified`. Given second factors have `details` if they are new. */
export type Proof =
  | Given<'Password'>
  | Given<'NewPasswordIdentity', { passwordHash: string }>
  | SentCode
  | Given<CodeType>
  | StartedSocial
  | SocialProof
  | StartedPasskey
  | Given<'WebAuthn', { secret: string; passkey: PasskeyDetails }>
  | Started<'Totp', { secret: string }>
  | Given<'Totp', { secret: string; usedAt: number }>
  | Started<'BackupCode', { codes: string[] }>
  | Given<'BackupCode'>;

/** A proof that belongs to an interaction. */
export type Verification<P extends Proof = Proof> = P & { id: string };
export type VerificationType = Proof['type'];
