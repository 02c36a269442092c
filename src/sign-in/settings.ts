import Type, { type Static } from 'typebox';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { Nullable, SetOf } from '../entities.ts';
import { MAX_CSS_LENGTH } from './brand/custom-css.ts';
import type { Images } from './brand/images.ts';

const IDENTIFIERS = ['username', 'email', 'phone'] as const;
export const IdentifierType = Type.Enum([...IDENTIFIERS]);
/** The languages of the sign-in pages and their messages. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
export const FACTORS = ['Totp', 'WebAuthn', 'BackupCode'] as const;

const Color = Type.String({
  pattern: '^#[0-9a-fA-F]{6}$',
  maxLength: 7,
  examples: ['#5d34f2'],
  description: 'Darkened or lightened where its contrast would be too low to read.',
});

/** A page of the tenant that the sign-in pages link to. */
const Link = Nullable(
  Type.String({ pattern: '^https://[^\\s"<>\\\\]+$', maxLength: 2048, examples: ['https://example.com/terms'] }),
);

/** A tenant's settings for its sign-in pages. */
export const SignInSettings = Type.Object({
  brandName: Type.String({ minLength: 1, maxLength: 64 }),
  color: Type.Object({
    primaryColor: Color,
    /** In dark mode, in place of the primary color. */
    darkPrimaryColor: Type.Optional(Color),
  }),
  termsOfUseUrl: Link,
  privacyPolicyUrl: Link,
  customCss: Nullable(
    Type.String({
      maxLength: MAX_CSS_LENGTH,
      description: 'Selectors, properties and values of a list only: see [Your brand](sign-in.md#your-brand).',
    }),
  ),
  customTexts: Type.Record(Type.String(), Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 500 })), {
    description:
      'Texts by language and key: see [Your brand](sign-in.md#your-brand). A text has the same placeholders as the one that it replaces.',
    examples: [{ fr: { 'signIn.title': 'Bienvenue chez {brand}' } }],
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
    fallbackLanguage: Type.Enum([...LANGUAGES]),
  }),
});
export type SignInSettings = Static<typeof SignInSettings>;
export type IdentifierType = (typeof IDENTIFIERS)[number];
export type FactorType = (typeof FACTORS)[number];

const defaultSettings = (tenantName: string): SignInSettings => ({
  brandName: tenantName,
  color: { primaryColor: '#3b5bdb' },
  termsOfUseUrl: null,
  privacyPolicyUrl: null,
  customCss: null,
  customTexts: {},
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

/** The settings of a tenant with the names of its image files. */
export interface TenantSettings extends SignInSettings {
  images: Images;
}

/** Returns the tenant's settings, with defaults for those it has not set. */
export async function readSettings(store: TenantStore, tenantName: string): Promise<TenantSettings> {
  const [row, images] = await Promise.all([
    store.find('signInSettings', {}),
    store.from('signInImages').select('name', 'file'),
  ]);
  return {
    ...defaultSettings(tenantName),
    ...(row?.settings as Partial<SignInSettings> | undefined),
    images: Object.fromEntries(images.map(({ name, file }) => [name, file])),
  };
}
