import Type, { type Static } from 'typebox';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { SetOf } from '../entities.ts';

const IDENTIFIERS = ['username', 'email', 'phone'] as const;
export const IdentifierType = Type.Enum([...IDENTIFIERS]);
export const FACTORS = ['Totp', 'WebAuthn', 'BackupCode'] as const;

/** A tenant's settings for its sign-in pages. */
export const SignInSettings = Type.Object({
  brandName: Type.String({ minLength: 1, maxLength: 64 }),
  color: Type.Object({
    primaryColor: Type.String({
      pattern: '^#[0-9a-fA-F]{6}$',
      maxLength: 7,
      examples: ['#5d34f2'],
      description: 'Darkened or lightened where its contrast would be too low to read.',
    }),
  }),
  signInMode: Type.Enum(['SignIn', 'SignInAndRegister']),
  signUp: Type.Object({
    identifiers: SetOf(IDENTIFIERS, {
      minItems: 1,
      description:
        'Identifiers that a new account can be created with. Email addresses and phone numbers are always verified.',
    }),
    requiredIdentifiers: SetOf(IDENTIFIERS, {
      description:
        'Identifiers that every account must have. Users who lack one are asked for it at their next sign-in.',
    }),
    password: Type.Boolean({
      description: 'If true, a new account gets a password. An account with only a username always does.',
    }),
  }),
  signIn: Type.Object({
    methods: Type.Array(
      Type.Object({
        identifier: IdentifierType,
        password: Type.Boolean(),
        verificationCode: Type.Boolean({ description: 'No effect for usernames.' }),
      }),
      { minItems: 1, maxItems: 3 },
    ),
  }),
  mfa: Type.Object({
    factors: SetOf(FACTORS),
    policy: Type.Enum(['UserControlled', 'Mandatory']),
  }),
  passwordPolicy: Type.Object({
    minLength: Type.Integer({ minimum: 8, maximum: 128 }),
    rejectCommon: Type.Boolean({
      description: 'Refuses the most common passwords, from a list that is part of the service.',
    }),
  }),
  languageInfo: Type.Object({
    autoDetect: Type.Boolean(),
    fallbackLanguage: Type.Enum(['en', 'de']),
  }),
});
export type SignInSettings = Static<typeof SignInSettings>;
export type IdentifierType = (typeof IDENTIFIERS)[number];
export type FactorType = (typeof FACTORS)[number];

const defaultSettings = (tenantName: string): SignInSettings => ({
  brandName: tenantName,
  color: { primaryColor: '#3b5bdb' },
  signInMode: 'SignInAndRegister',
  signUp: { identifiers: ['username', 'email'], requiredIdentifiers: [], password: true },
  signIn: {
    methods: [
      { identifier: 'username', password: true, verificationCode: false },
      { identifier: 'email', password: true, verificationCode: true },
      { identifier: 'phone', password: true, verificationCode: true },
    ],
  },
  mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'], policy: 'UserControlled' },
  passwordPolicy: { minLength: 8, rejectCommon: true },
  languageInfo: { autoDetect: true, fallbackLanguage: 'en' },
});

/** Returns the tenant's settings, with defaults for those it has not set. */
export async function readSettings(store: TenantStore, tenantName: string): Promise<SignInSettings> {
  const row = await store.find('signInSettings', {});
  return { ...defaultSettings(tenantName), ...(row?.settings as Partial<SignInSettings> | undefined) };
}
