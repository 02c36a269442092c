import type { FigureRow } from '../statistics/figures.ts';
import type {
  ApplicationRow,
  ApplicationSecretRow,
  OrganizationRoleRow,
  OrganizationRow,
  OrganizationScopeRow,
  ResourceAliasRow,
  ResourceRow,
  RoleRow,
  ScopeRow,
} from './access.ts';
import type { ActiveScriptRow, ScriptRunRow, ScriptVersionRow } from './claims.ts';
import type { AdministratorLinkRow, AdministratorRow, ConsoleSessionRow } from './console.ts';
import type {
  AuditRow,
  ImpersonationRow,
  IssuedJwtRow,
  OidcPayloadRow,
  RevokedTokenRow,
  SigningKeyRow,
  SubjectTokenRow,
} from './oidc.ts';
import type {
  ConnectorRow,
  SignInProgressRow,
  UserFactorRow,
  UserIdentityRow,
  UserRow,
  VerificationCodeRow,
} from './people.ts';
import type { Json, Owned } from './row.ts';
import type { AttemptRow, ClearingRow, DeliveryRow, EventRow, HookRow, ReplayRow } from './webhooks.ts';

export type * from './access.ts';
export type * from './claims.ts';
export type * from './console.ts';
export type * from './oidc.ts';
export type * from './people.ts';
export type * from './webhooks.ts';

/**
 * The row types of all tenant-owned tables, as the code sees them: camelCase, booleans as booleans, JSON parsed, times
 * in epoch milliseconds. Each contains `tenantId`, which only the store sets.
 */
export interface Tables {
  users: UserRow;
  userIdentities: UserIdentityRow;
  userFactors: UserFactorRow;
  applications: ApplicationRow;
  applicationSecrets: ApplicationSecretRow;
  resources: ResourceRow;
  resourceAliases: ResourceAliasRow;
  scopes: ScopeRow;
  roles: RoleRow;
  roleScopes: Owned & { roleId: string; scopeId: string };
  userRoles: Owned & { userId: string; roleId: string };
  applicationRoles: Owned & { applicationId: string; roleId: string };
  organizations: OrganizationRow;
  organizationRoles: OrganizationRoleRow;
  organizationScopes: OrganizationScopeRow;
  organizationUsers: Owned & { organizationId: string; userId: string };
  organizationApplications: Owned & { organizationId: string; applicationId: string };
  organizationRoleScopes: Owned & { organizationRoleId: string; organizationScopeId: string };
  organizationRoleResourceScopes: Owned & { organizationRoleId: string; scopeId: string };
  organizationUserRoles: Owned & { organizationId: string; userId: string; organizationRoleId: string };
  organizationApplicationRoles: Owned & { organizationId: string; applicationId: string; organizationRoleId: string };
  signingKeys: SigningKeyRow;
  oidcPayloads: OidcPayloadRow;
  subjectTokens: SubjectTokenRow;
  impersonations: ImpersonationRow;
  issuedJwts: IssuedJwtRow;
  revokedTokens: RevokedTokenRow;
  hooks: HookRow;
  events: EventRow;
  replays: ReplayRow;
  deliveries: DeliveryRow;
  attempts: AttemptRow;
  clearings: ClearingRow;
  scriptVersions: ScriptVersionRow;
  activeScripts: ActiveScriptRow;
  scriptRuns: ScriptRunRow;
  auditLog: AuditRow;
  configs: Owned & { key: 'impersonation' | 'sandbox' | 'key-rotation'; settings: Json };
  signInSettings: Owned & { settings: Json };
  connectors: ConnectorRow;
  signInProgress: SignInProgressRow;
  verificationCodes: VerificationCodeRow;
  figures: FigureRow;
  administrators: AdministratorRow;
  administratorLinks: AdministratorLinkRow;
  consoleSessions: ConsoleSessionRow;
  rateLimits: Owned & { key: string; points: number; expiresAt: number };
}

export type Table = keyof Tables;
export type Row<T extends Table> = Tables[T];
export type Fields<T extends Table> = Partial<Omit<Row<T>, 'tenantId'>>;
/** Equality conditions on columns; `null` matches null. */
export type Key<T extends Table> = Fields<T>;
export type Patch<T extends Table> = Fields<T>;

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
