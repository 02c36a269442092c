import type { Identified, Json, Owned } from './row.ts';

/** Rows of users, their identities and factors, connectors, and sign-ins in progress. */

export interface UserRow extends Identified {
  username: string | null;
  primaryEmail: string | null;
  primaryPhone: string | null;
  name: string | null;
  avatar: string | null;
  passwordHash: string | null;
  customData: Json;
  profile: Json;
  applicationId: string | null;
  isSuspended: boolean;
  lastSignInAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface UserIdentityRow extends Owned {
  userId: string;
  target: string;
  externalId: string;
  isSso: boolean;
  details: Json;
  createdAt: number;
}

export interface UserFactorRow extends Identified {
  userId: string;
  type: 'Totp' | 'WebAuthn' | 'BackupCode';
  secretEncrypted: string;
  details: Json;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface ConnectorRow extends Identified {
  target: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecretEncrypted: string;
  scope: string;
  domains: string[];
  /** Treats an address without `email_verified` as verified. */
  assumeEmailVerified: boolean;
  createdAt: number;
}

export interface SignInProgressRow extends Identified {
  version: number;
  stateEncrypted: string;
  finishedAt: number | null;
  expiresAt: number;
}

export interface VerificationCodeRow extends Identified {
  codeEncrypted: string;
  attempts: number;
  spentAt: number | null;
  expiresAt: number;
}
