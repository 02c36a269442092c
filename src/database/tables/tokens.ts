import { DAY_MS } from '../../base/times.ts';
import { expiring, id, json, key, number, of, orNull, sealed, table, text } from './table.ts';

/** How long an expired subject token is kept, to look up who created it and why an exchange was refused. */
const SUBJECT_TOKENS_KEPT_MS = 30 * DAY_MS;

export const tokenTables = {
  signingKeys: table({
    id,
    algorithm: of<'ES256' | 'ES384' | 'RS256' | 'EdDSA'>(text),
    privateKeyEncrypted: sealed,
    state: of<'next' | 'current' | 'previous'>(text),
    createdAt: number,
    retireAt: orNull(number),
  }),
  oidcPayloads: table({
    model: key(text),
    id,
    payloadEncrypted: sealed,
    accountId: orNull(text),
    clientId: orNull(text),
    grantId: orNull(text),
    uid: orNull(text),
    expiresAt: expiring(orNull(number)),
    consumedAt: orNull(number),
  }),
  subjectTokens: table({
    id,
    tokenHash: text,
    userId: text,
    context: json,
    clientId: orNull(text),
    actorId: orNull(text),
    resource: orNull(text),
    creatorId: text,
    createdAt: number,
    expiresAt: expiring(number, SUBJECT_TOKENS_KEPT_MS),
    spentAt: orNull(number),
    revokedAt: orNull(number),
  }),
  impersonations: table({
    id,
    subjectTokenId: text,
    subjectId: text,
    actorId: orNull(text),
    applicationId: text,
    resource: orNull(text),
    organizationId: orNull(text),
    scope: text,
    context: json,
    ip: orNull(text),
    userAgent: orNull(text),
    issuedAt: number,
    expiresAt: number,
    revokedAt: orNull(number),
    revokedBy: orNull(text),
  }),
  /** JWT access tokens issued under a user's grant. `id` is the `jti`. */
  issuedJwts: table({ id, grantId: text, accountId: text, clientId: text, expiresAt: expiring(number) }),
  revokedTokens: table({ id, expiresAt: expiring(number), revokedAt: number }),
};
