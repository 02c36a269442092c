import { expiring, flag, id, json, key, number, of, orDefault, orNull, sealed, table, text, unique } from './table.ts';

/** Connectors, and sign-ins in progress. */
export const signInTables = {
  signInSettings: table({ settings: json }),
  /** `content` is base64. `file` contains a hash of it. */
  signInImages: table({ name: key(of<'logo' | 'darkLogo' | 'favicon'>(text)), file: text, content: text }),
  connectors: table({
    id,
    target: unique(text, 'connector.target_in_use'),
    name: text,
    issuer: text,
    clientId: text,
    clientSecretEncrypted: sealed,
    scope: text,
    domains: of<string[]>(json),
    /** Treats an address without `email_verified` as verified. */
    assumeEmailVerified: orDefault(flag, false),
    createdAt: number,
  }),
  signInProgress: table({
    id,
    version: number,
    stateEncrypted: sealed,
    finishedAt: orNull(number),
    expiresAt: expiring(number),
  }),
  verificationCodes: table({
    id,
    codeEncrypted: sealed,
    attempts: number,
    spentAt: orNull(number),
    expiresAt: expiring(number),
  }),
  rateLimits: table({ key: key(text), points: number, expiresAt: expiring(number) }),
};
