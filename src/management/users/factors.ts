import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import Type from 'typebox';
import { renderSVG } from 'uqr';
import { newId } from '../../base/ids.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { Nullable, Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { touchUser } from './writes.ts';

/** RFC 4226 §4 R6: 160 bits. */
const TOTP_SECRET_BYTES = 20;
const BACKUP_CODES = 10;
const BACKUP_CODE_BYTES = 5;

const Factor = Type.Object({
  id: Type.String(),
  type: Type.Enum(['Totp', 'WebAuthn', 'BackupCode']),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
});

const NewFactor = Type.Object({
  id: Type.String(),
  type: Type.Enum(['Totp', 'BackupCode']),
  secret: Type.Optional(Type.String({ description: 'Totp only: the secret in base32' })),
  secretUri: Type.Optional(Type.String({ description: 'Totp only: the URI that an authenticator app scans' })),
  secretQrCode: Type.Optional(Type.String({ description: 'Totp only: the QR code of that URI, as an SVG data URI' })),
  codes: Type.Optional(Type.Array(Type.String(), { description: 'BackupCode only: each code works once' })),
});

/** Capacity of a QR code. Long names of tenant and user, percent-encoded, can exceed it. */
const QR_CODE_BYTES = 2_953;

const qrCodeOf = (uri: string) =>
  uri.length > QR_CODE_BYTES ? {} : { secretQrCode: `data:image/svg+xml;base64,${btoa(renderSVG(uri))}` };

/** Returns a new factor: the fields of the response, and the text to seal (the secret, or the codes as JSON). */
function newFactor(type: 'Totp' | 'BackupCode', issuer: string, { username, primaryEmail, id }: UserRow) {
  if (type === 'BackupCode') {
    const codes = Array.from({ length: BACKUP_CODES }, () => randomBytes(BACKUP_CODE_BYTES).toString('hex'));
    return { response: { codes }, sealed: JSON.stringify(codes), details: { remaining: BACKUP_CODES } };
  }
  const secret = new Secret({ size: TOTP_SECRET_BYTES });
  const secretUri = new TOTP({ secret, issuer, label: username ?? primaryEmail ?? id }).toString();
  return { response: { secret: secret.base32, secretUri, ...qrCodeOf(secretUri) }, sealed: secret.base32, details: {} };
}

export const userFactors = [
  operation('GET /users/:userId/mfa-verifications', {
    summary: 'List the second factors of a user',
    role: 'viewer',
    status: 200,
    returns: Type.Array(Factor),
    errors: ['entity.not_found'],
    async run({ params: { userId }, store }) {
      await store.get('users', { id: userId });
      return store.from('userFactors').where({ userId }).orderBy('createdAt').select('*');
    },
  }),

  operation('POST /users/:userId/mfa-verifications', {
    summary: 'Create a second factor for a user',
    role: 'editor',
    description: 'Replaces the factor of the same type. The secret or the codes are only returned in this response.',
    status: 201,
    body: Type.Object({ type: NewFactor.properties.type }),
    returns: NewFactor,
    errors: ['entity.not_found'],
    async run({ params: { userId }, body: { type }, tenant, store, now, secrets }) {
      const row = await store.lock('users', { id: userId });
      const id = newId();
      const { response, sealed, details } = newFactor(type, tenant.name, row);
      await store.removeAll('userFactors', { userId, type });
      const secretEncrypted = secrets.seal(sealed, `user-factor:${store.tenantId}:${id}`);
      await store.add('userFactors', [{ id, userId, type, secretEncrypted, details, createdAt: now }]);
      return { id, type, ...response, user: await touchUser(store, userId, now) };
    },
    event: 'User.Data.Updated',
    eventFields: ({ user }) => ({ data: user }),
    audit: ({ id, type }) => ({ factorId: id, type }),
  }),

  operation('DELETE /users/:userId/mfa-verifications/:verificationId', {
    summary: 'Delete a second factor of a user',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params: { userId, verificationId }, store, now }) {
      await store.remove('userFactors', { id: verificationId, userId });
      return touchUser(store, userId, now);
    },
    event: 'User.Data.Updated',
  }),
];
