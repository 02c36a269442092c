import Type, { type Static, type TSchema } from 'typebox';
import { SECRET } from './base/project.ts';

/**
 * One schema per resource. It is what the Management API returns, what an event carries as `data`, and the TypeScript
 * type. Times are epoch milliseconds.
 */

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const Timestamp = Type.Integer({
  minimum: 0,
  maximum: 8_640_000_000_000_000, // The last moment that a `Date` can represent.
  description: 'Epoch milliseconds',
  examples: [1_735_689_600_000],
});
export const Id = Type.String({ minLength: 1, maxLength: 64, examples: ['r2d6q0w8k1x5'] });
export const JsonObject = Type.Record(Type.String(), Type.Unknown());
/** Keyword of an array whose repeated values are ignored. It is an extension, which appears unchanged in OpenAPI. */
export const EACH_ONCE = 'x-each-once';
/** Returns the schema of an array that contains each of these words at most once. */
export const SetOf = <const T extends string>(
  words: readonly T[],
  options: { minItems?: number; description?: string } = {},
) => Type.Array(Type.Enum([...words], { type: 'string' }), { ...options, uniqueItems: true, maxItems: words.length });
/** Fields of everything that a tenant owns. */
export const Owned = { tenantId: Type.String(), id: Type.String() };
const Name = Type.String({ minLength: 1, maxLength: 128 });
const Text = Type.String({ maxLength: 256 });

export const Address = Type.Object({
  formatted: Type.Optional(Text),
  streetAddress: Type.Optional(Text),
  locality: Type.Optional(Text),
  region: Type.Optional(Text),
  postalCode: Type.Optional(Text),
  country: Type.Optional(Text),
});

/** Standard claims of OpenID Connect Core §5.1 that are not fields of the user itself. */
export const Profile = Type.Object({
  familyName: Type.Optional(Text),
  givenName: Type.Optional(Text),
  middleName: Type.Optional(Text),
  nickname: Type.Optional(Text),
  preferredUsername: Type.Optional(Text),
  profile: Type.Optional(Text),
  website: Type.Optional(Text),
  gender: Type.Optional(Text),
  birthdate: Type.Optional(Text),
  zoneinfo: Type.Optional(Text),
  locale: Type.Optional(Text),
  address: Type.Optional(Address),
});

export const User = Type.Object({
  ...Owned,
  username: Nullable(Type.String({ pattern: '^[A-Za-z_]\\w*$', maxLength: 128, examples: ['bob'] })),
  primaryEmail: Nullable(
    Type.String({
      pattern: '^[^\\s@]+@(?:[^\\s@.]+(?:\\.[^\\s@.]+)+|localhost)$',
      maxLength: 128,
      examples: ['bob@example.com'],
    }),
  ),
  primaryPhone: Nullable(Type.String({ pattern: '^\\d{1,32}$', maxLength: 32, examples: ['12025550123'] })),
  name: Nullable(Type.String({ maxLength: 128 })),
  avatar: Nullable(Type.String({ maxLength: 2048 })),
  customData: JsonObject,
  identities: JsonObject,
  lastSignInAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  profile: Profile,
  applicationId: Nullable(Type.String()),
  isSuspended: Type.Boolean(),
  hasPassword: Type.Boolean(),
  ssoIdentities: Type.Optional(Type.Array(JsonObject)),
});
export type User = Static<typeof User>;

export const RoleType = Type.Enum(['User', 'MachineToMachine']);

export const Role = Type.Object({
  ...Owned,
  name: Name,
  description: Name,
  type: RoleType,
  isDefault: Type.Boolean(),
});

/** RFC 6749 §3.3: printable ASCII without space, quote and backslash. */
export const ScopeName = Type.String({ minLength: 1, maxLength: 256, examples: ['read:orders'] });

export const Scope = Type.Object({
  ...Owned,
  resourceId: Type.String(),
  name: ScopeName,
  description: Nullable(Type.String({ maxLength: 1024 })),
  createdAt: Timestamp,
});

/** Default lifetime of access tokens for a resource, and of ID tokens, in seconds. */
export const DEFAULT_TOKEN_TTL = 3_600;

export const Resource = Type.Object({
  ...Owned,
  name: Name,
  indicator: Type.String({ minLength: 1, maxLength: 2048, examples: ['https://orders.example.com/api'] }),
  isDefault: Type.Boolean(),
  accessTokenTtl: Type.Integer({
    minimum: 60,
    maximum: 86_400,
    description: `Access token lifetime in seconds. Default: ${DEFAULT_TOKEN_TTL}`,
  }),
});

export const Organization = Type.Object({
  ...Owned,
  name: Name,
  description: Nullable(Type.String({ maxLength: 256 })),
  customData: JsonObject,
  isMfaRequired: Type.Boolean({
    description:
      'Members without a second factor get no tokens for the organization and must set one up when they sign in',
  }),
  color: JsonObject,
  branding: JsonObject,
  customCss: Nullable(Type.String({ maxLength: 65_536 })),
  createdAt: Timestamp,
});

export const OrganizationScope = Type.Object({
  ...Owned,
  name: Name,
  description: Nullable(Type.String({ maxLength: 256 })),
});

export const OrganizationRole = Type.Object({ ...OrganizationScope.properties, type: RoleType });

export const ApplicationType = Type.Enum(['Native', 'SPA', 'Traditional', 'MachineToMachine']);

export const OidcClientMetadata = Type.Object({
  redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 }),
  postLogoutRedirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 }),
  backchannelLogoutUri: Type.Optional(Type.String({ maxLength: 2048, description: 'Stored, but has no effect' })),
  logoUri: Type.Optional(Type.String({ maxLength: 2048, description: 'Stored, but has no effect' })),
});

/** Fraction of its lifetime after which a confidential client's refresh token is rotated. It needs a secret. */
export const ROTATION_AGE = 0.7;

export const CustomClientMetadata = Type.Object({
  allowTokenExchange: Type.Optional(Type.Boolean()),
  corsAllowedOrigins: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 })),
  idTokenTtl: Type.Optional(
    Type.Integer({ minimum: 60, maximum: 604_800, description: `Seconds. Default: ${DEFAULT_TOKEN_TTL}` }),
  ),
  refreshTokenTtlInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
  alwaysIssueRefreshToken: Type.Optional(
    Type.Boolean({ description: 'Even without the scope `offline_access`. Has no effect on Native applications.' }),
  ),
  rotateRefreshToken: Type.Optional(
    Type.Boolean({
      description: `Default: true. A Traditional application gets a new refresh token after ${ROTATION_AGE * 100}% of the lifetime of the old one. Has no effect on SPA and Native applications, which get a new one with every refresh.`,
    }),
  ),
  requirePkce: Type.Optional(
    Type.Boolean({ description: 'Default: true. `false` only for Traditional applications that do not support PKCE.' }),
  ),
});

export const Application = Type.Object({
  ...Owned,
  name: Type.String({ minLength: 1, maxLength: 256 }),
  description: Nullable(Type.String({ maxLength: 1024 })),
  type: ApplicationType,
  oidcClientMetadata: OidcClientMetadata,
  customClientMetadata: CustomClientMetadata,
  customData: JsonObject,
  isThirdParty: Type.Boolean(),
  createdAt: Timestamp,
});

export const ApplicationSecret = Type.Object({
  tenantId: Type.String(),
  applicationId: Type.String(),
  name: Type.String({ minLength: 1, maxLength: 256 }),
  value: Type.String({ [SECRET]: true }),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
});

export const HookConfig = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2048, examples: ['https://hooks.example.com/understudy'] }),
  headers: Type.Optional(
    Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 4096 }), { [SECRET]: true }),
  ),
  retries: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3,
      description: '0: one attempt only. Any other value: the full retry schedule.',
    }),
  ),
});
export type HookConfig = Static<typeof HookConfig>;

export const ExecutionStats = Type.Object({ successCount: Type.Integer(), requestCount: Type.Integer() });

export const Hook = Type.Object({
  ...Owned,
  name: Type.String({ minLength: 1, maxLength: 256 }),
  event: Nullable(Type.String()),
  events: Type.Array(Type.String()),
  config: HookConfig,
  signingKey: Type.String({ [SECRET]: true }),
  webhookSecret: Type.String({
    [SECRET]: true,
    description: 'The signing secret in the form of the Standard Webhooks libraries: `whsec_` and base64',
  }),
  enabled: Type.Boolean(),
  disabledReason: Type.Optional(Type.String()),
  failingSince: Type.Optional(
    Type.Integer({ ...Timestamp, description: 'Epoch milliseconds of the first failure since the last success' }),
  ),
  failuresInARow: Type.Optional(Type.Integer({ description: 'Failed attempts since `failingSince`' })),
  lastFailureAt: Type.Optional(Timestamp),
  lastFailureStatus: Type.Optional(Type.Integer({ description: 'Absent if there was no response' })),
  lastFailureError: Type.Optional(Type.String({ description: 'The `errorClass` of the attempt' })),
  pausedUntil: Type.Optional(
    Type.Integer({ ...Timestamp, description: 'Nothing is sent before this time, unless you resume the webhook' }),
  ),
  createdAt: Timestamp,
  executionStats: Type.Optional(ExecutionStats),
});
export type Hook = Static<typeof Hook>;

/** Results of a run of a claims script. docs/claims.md explains each. */
export const scriptResults =
  'ok denied thrown timeout memory killed invalid-result too-large overloaded quarantined'.split(' ');
