import type { FigureRow } from '../statistics/figures.ts';
import type * as access from './access.ts';
import type * as claims from './claims.ts';
import type * as console from './console.ts';
import type * as oidc from './oidc.ts';
import type * as people from './people.ts';
import type { Json, Owned } from './row.ts';
import type * as webhooks from './webhooks.ts';

export type * from './access.ts';
export type * from './claims.ts';
export type * from './console.ts';
export type * from './oidc.ts';
export type * from './people.ts';
export type * from './webhooks.ts';

/** The type of a table's rows. The value is not used. */
const rowsOf = <Fields extends Owned>(): Fields => ({}) as Fields;

/**
 * All tenant-owned tables, parents before children, with their rows as the code sees them: camelCase, booleans as
 * booleans, JSON parsed, times in epoch milliseconds. Each row contains `tenantId`, which only the store sets.
 */
const tables = {
  users: rowsOf<people.UserRow>(),
  userIdentities: rowsOf<people.UserIdentityRow>(),
  userFactors: rowsOf<people.UserFactorRow>(),
  applications: rowsOf<access.ApplicationRow>(),
  applicationSecrets: rowsOf<access.ApplicationSecretRow>(),
  resources: rowsOf<access.ResourceRow>(),
  resourceAliases: rowsOf<access.ResourceAliasRow>(),
  scopes: rowsOf<access.ScopeRow>(),
  roles: rowsOf<access.RoleRow>(),
  roleScopes: rowsOf<Owned & { roleId: string; scopeId: string }>(),
  userRoles: rowsOf<Owned & { userId: string; roleId: string }>(),
  applicationRoles: rowsOf<Owned & { applicationId: string; roleId: string }>(),
  organizations: rowsOf<access.OrganizationRow>(),
  organizationRoles: rowsOf<access.OrganizationRoleRow>(),
  organizationScopes: rowsOf<access.OrganizationScopeRow>(),
  organizationUsers: rowsOf<Owned & { organizationId: string; userId: string }>(),
  organizationApplications: rowsOf<Owned & { organizationId: string; applicationId: string }>(),
  organizationRoleScopes: rowsOf<Owned & { organizationRoleId: string; organizationScopeId: string }>(),
  organizationRoleResourceScopes: rowsOf<Owned & { organizationRoleId: string; scopeId: string }>(),
  organizationUserRoles: rowsOf<Owned & { organizationId: string; userId: string; organizationRoleId: string }>(),
  organizationApplicationRoles: rowsOf<
    Owned & { organizationId: string; applicationId: string; organizationRoleId: string }
  >(),
  configs: rowsOf<Owned & { key: 'impersonation' | 'sandbox' | 'key-rotation'; settings: Json }>(),
  signInSettings: rowsOf<Owned & { settings: Json }>(),
  connectors: rowsOf<people.ConnectorRow>(),
  signingKeys: rowsOf<oidc.SigningKeyRow>(),
  oidcPayloads: rowsOf<oidc.OidcPayloadRow>(),
  subjectTokens: rowsOf<oidc.SubjectTokenRow>(),
  impersonations: rowsOf<oidc.ImpersonationRow>(),
  issuedJwts: rowsOf<oidc.IssuedJwtRow>(),
  revokedTokens: rowsOf<oidc.RevokedTokenRow>(),
  hooks: rowsOf<webhooks.HookRow>(),
  events: rowsOf<webhooks.EventRow>(),
  replays: rowsOf<webhooks.ReplayRow>(),
  deliveries: rowsOf<webhooks.DeliveryRow>(),
  attempts: rowsOf<webhooks.AttemptRow>(),
  clearings: rowsOf<webhooks.ClearingRow>(),
  scriptVersions: rowsOf<claims.ScriptVersionRow>(),
  activeScripts: rowsOf<claims.ActiveScriptRow>(),
  scriptRuns: rowsOf<claims.ScriptRunRow>(),
  auditLog: rowsOf<oidc.AuditRow>(),
  signInProgress: rowsOf<people.SignInProgressRow>(),
  verificationCodes: rowsOf<people.VerificationCodeRow>(),
  figures: rowsOf<FigureRow>(),
  rateLimits: rowsOf<Owned & { key: string; points: number; expiresAt: number }>(),
  administrators: rowsOf<console.AdministratorRow>(),
  administratorLinks: rowsOf<console.AdministratorLinkRow>(),
  consoleSessions: rowsOf<console.ConsoleSessionRow>(),
};

export type Tables = typeof tables;
export type Table = keyof Tables;
export type Row<T extends Table> = Tables[T];
export type Fields<T extends Table> = Partial<Omit<Row<T>, 'tenantId'>>;
/** Equality conditions on columns; `null` matches null. */
export type Key<T extends Table> = Fields<T>;
export type Patch<T extends Table> = Fields<T>;

/** All tables of a tenant, parents before children. */
export const tenantTables = Object.keys(tables) as Table[];

/** Tables of a tenant's configuration, which requests only read. Every process caches them until a write. */
export const configurationTables: readonly Table[] = [
  'applications',
  'applicationSecrets',
  'applicationRoles',
  'resources',
  'resourceAliases',
  'scopes',
  'roles',
  'roleScopes',
  'organizationRoles',
  'organizationRoleResourceScopes',
  'scriptVersions',
  'activeScripts',
  'configs',
];

/**
 * Names of the columns that contain JSON; `booleanColumns` names those with booleans. SQLite returns text and 0/1 for
 * them. They are converted by name alone, so a name has the same type in every table.
 */
export const jsonColumns: ReadonlySet<string> = new Set([
  'settings',
  'customData',
  'profile',
  'details',
  'oidcClientMetadata',
  'customClientMetadata',
  'color',
  'branding',
  'payload',
  'context',
  'config',
  'events',
  'oldSigningKeys',
  'filter',
  'tokenSample',
  'contextSample',
  'droppedClaims',
  'console',
  'domains',
  'managedTenantIds',
]);

export const booleanColumns: ReadonlySet<string> = new Set([
  'isSuspended',
  'isSso',
  'isDefault',
  'isThirdParty',
  'isMfaRequired',
  'enabled',
  'isSuccess',
  'blockIssuanceOnError',
  'recordInputs',
  'assumeEmailVerified',
]);
