import type { Identified, Json } from './row.ts';

/** Rows of the token service, and the audit log. */

export interface SigningKeyRow extends Identified {
  algorithm: 'ES256' | 'ES384' | 'RS256' | 'EdDSA';
  privateKeyEncrypted: string;
  state: 'next' | 'current' | 'previous';
  createdAt: number;
  retireAt: number | null;
}

export interface OidcPayloadRow extends Identified {
  model: string;
  payloadEncrypted: string;
  accountId: string | null;
  clientId: string | null;
  grantId: string | null;
  uid: string | null;
  expiresAt: number | null;
  consumedAt: number | null;
}

export interface SubjectTokenRow extends Identified {
  tokenHash: string;
  userId: string;
  context: Json;
  clientId: string | null;
  actorId: string | null;
  resource: string | null;
  creatorId: string;
  createdAt: number;
  expiresAt: number;
  spentAt: number | null;
  revokedAt: number | null;
}

export interface ImpersonationRow extends Identified {
  subjectTokenId: string;
  subjectId: string;
  actorId: string | null;
  applicationId: string;
  resource: string | null;
  organizationId: string | null;
  scope: string;
  context: Json;
  ip: string | null;
  userAgent: string | null;
  issuedAt: number;
  expiresAt: number;
  revokedAt: number | null;
  revokedBy: string | null;
}

/** A JWT access token issued under a user's grant. `id` is its `jti`. */
export interface IssuedJwtRow extends Identified {
  grantId: string;
  accountId: string;
  clientId: string;
  expiresAt: number;
}

export interface RevokedTokenRow extends Identified {
  expiresAt: number;
  revokedAt: number;
}

export interface AuditRow extends Identified {
  key: string;
  result: 'Success' | 'Error';
  applicationId: string | null;
  userId: string | null;
  actorId: string | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
  payload: Json;
  createdAt: number;
  /** Null if kept as long as the tenant. */
  expiresAt: number | null;
}
