import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import Type from 'typebox';
import { renderSVG } from 'uqr';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { Nullable, Timestamp } from '../../entities.ts';
import { userView } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';

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
  secret: Type.Optional(Type.String({ description: 'Of Totp, in base32' })),
  secretUri: Type.Optional(Type.String({ description: 'Of Totp: what an authenticator app reads from a QR code' })),
  secretQrCode: Type.Optional(Type.String({ description: 'Of Totp: that code, as a data URI of an SVG image' })),
  codes: Type.Optional(Type.Array(Type.String(), { description: 'Of BackupCode; each can be used once' })),
});

/** Bytes that a QR code holds at most. Long names of tenant and user, percent-encoded, may be more. */
const QR_CODE_BYTES = 2_953;

const qrCodeOf = (uri: string) =>
  uri.length > QR_CODE_BYTES ? {} : { secretQrCode: `data:image/svg+xml;base64,${btoa(renderSVG(uri))}` };

/** What is shown once, and the text of it that is sealed: the secret, or the codes as JSON. */
function make(type: 'Totp' | 'BackupCode', issuer: string, { username, primaryEmail, id }: UserRow) {
  if (type === 'BackupCode') {
    const codes = Array.from({ length: BACKUP_CODES }, () => randomBytes(BACKUP_CODE_BYTES).toString('hex'));
    return { shown: { codes }, sealed: JSON.stringify(codes), details: { remaining: BACKUP_CODES } };
  }
  const secret = new Secret({ size: TOTP_SECRET_BYTES });
  const secretUri = new TOTP({ secret, issuer, label: username ?? primaryEmail ?? id }).toString();
  return { shown: { secret: secret.base32, secretUri, ...qrCodeOf(secretUri) }, sealed: secret.base32, details: {} };
}

async function changed(store: TenantStore, userId: string, now: number) {
  return userView(store, await store.update('users', { id: userId }, { updatedAt: now }));
}

export const userFactors = [
  operation('GET /users/:userId/mfa-verifications', {
    summary: 'List the second factors of a user',
    status: 200,
    returns: Type.Array(Factor),
    errors: ['entity.not_found'],
    async run({ params: { userId }, store }) {
      await store.get('users', { id: userId });
      return store.from('userFactors').where({ userId }).orderBy('createdAt').select('*');
    },
  }),

  operation('POST /users/:userId/mfa-verifications', {
    summary: 'Give a user a second factor, in place of the one of this type',
    description: 'Its secret is shown in this answer alone.',
    status: 201,
    body: Type.Object({ type: NewFactor.properties.type }),
    returns: NewFactor,
    errors: ['entity.not_found'],
    async run({ params: { userId }, body: { type }, tenant, store, now, secrets }) {
      const row = await store.lock('users', { id: userId });
      const id = newId();
      const { shown, sealed, details } = make(type, tenant.name, row);
      await store.removeAll('userFactors', { userId, type });
      const secretEncrypted = secrets.seal(sealed, `user-factor:${store.tenantId}:${id}`);
      await store.add('userFactors', [{ id, userId, type, secretEncrypted, details, createdAt: now }]);
      return { id, type, ...shown, user: await changed(store, userId, now) };
    },
    event: 'User.Data.Updated',
    announce: ({ user }) => ({ data: user }),
    audit: ({ id, type }) => ({ factorId: id, type }),
  }),

  operation('DELETE /users/:userId/mfa-verifications/:verificationId', {
    summary: 'Remove a second factor of a user',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params: { userId, verificationId }, store, now }) {
      await store.remove('userFactors', { id: verificationId, userId });
      return changed(store, userId, now);
    },
    event: 'User.Data.Updated',
  }),
];
