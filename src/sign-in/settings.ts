import Type, { type Static } from 'typebox';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { SetOf } from '../entities.ts';

const IDENTIFIERS = ['username', 'email', 'phone'] as const;
const IdentifierType = Type.Enum([...IDENTIFIERS]);
const FACTORS = ['Totp', 'WebAuthn', 'BackupCode'] as const;

/** What a tenant decides about its sign-in pages. */
export const SignInSettings = Type.Object({
  brandName: Type.String({ minLength: 1, maxLength: 64 }),
  color: Type.Object({
    primaryColor: Type.String({
      pattern: '^#[0-9a-fA-F]{6}$',
      maxLength: 7,
      examples: ['#5d34f2'],
      description: 'Made darker or lighter where its contrast is too low to be read.',
    }),
  }),
  signInMode: Type.Enum(['SignIn', 'SignInAndRegister']),
  signUp: Type.Object({
    identifiers: SetOf(IDENTIFIERS, {
      minItems: 1,
      description: 'What a new account can be made with. An e-mail address or phone number is always verified.',
    }),
    requiredIdentifiers: SetOf(IDENTIFIERS, {
      description: 'What every account must have: asked for at the next sign-in of those who lack it.',
    }),
    password: Type.Boolean({
      description: 'Whether a new account gets a password. Always, when it has a username only.',
    }),
  }),
  signIn: Type.Object({
    methods: Type.Array(
      Type.Object({
        identifier: IdentifierType,
        password: Type.Boolean(),
        verificationCode: Type.Boolean({ description: 'Has no effect for usernames.' }),
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
    rejectCommon: Type.Boolean({ description: 'Refuses passwords of a list of the most common ones, kept offline.' }),
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

/** What the tenant has stored, over the defaults. */
export async function readSettings(store: TenantStore, tenantName: string): Promise<SignInSettings> {
  const row = await store.find('signInSettings', {});
  return { ...defaultSettings(tenantName), ...(row?.settings as Partial<SignInSettings> | undefined) };
}
