import { flag, id, json, key, number, of, orDefault, orNull, sealed, table, text, unique } from './table.ts';

export const userTables = {
  users: table({
    id,
    username: unique(orNull(text), 'user.username_already_in_use'),
    primaryEmail: unique(orNull(text), 'user.email_already_in_use'),
    primaryPhone: unique(orNull(text), 'user.phone_already_in_use'),
    name: orNull(text),
    avatar: orNull(text),
    passwordHash: orNull(text),
    customData: json,
    profile: json,
    applicationId: orNull(text),
    isSuspended: orDefault(flag, false),
    lastSignInAt: orNull(number),
    createdAt: number,
    updatedAt: number,
  }),
  userIdentities: table({
    userId: key(text),
    target: key(text),
    externalId: unique(text, 'user.identity_already_in_use'),
    isSso: orDefault(flag, false),
    details: json,
    createdAt: number,
  }),
  userFactors: table({
    id,
    userId: text,
    type: of<'Totp' | 'WebAuthn' | 'BackupCode'>(text),
    secretEncrypted: sealed,
    details: json,
    createdAt: number,
    lastUsedAt: orNull(number),
  }),
};
