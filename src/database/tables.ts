/**
 * The row of every tenant-owned table, as the code sees it: camelCase, booleans as booleans, JSON
 * parsed, times in epoch milliseconds. `tenantId` is in each and is set by the store alone.
 */

type Json = Record<string, unknown>;

interface Owned {
  tenantId: string;
}

interface Identified extends Owned {
  id: string;
}

export interface UserRow extends Identified {
  username: string | null;
  primaryEmail: string | null;
  primaryPhone: string | null;
  name: string | null;
  avatar: string | null;
  passwordHash: string | null;
  customData: Json;
  profile: Json;
  applicationId: string | null;
  isSuspended: boolean;
  lastSignInAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface UserIdentityRow extends Owned {
  userId: string;
  target: string;
  externalId: string;
  isSso: boolean;
  details: Json;
  createdAt: number;
}

export interface UserFactorRow extends Identified {
  userId: string;
  type: 'Totp' | 'WebAuthn' | 'BackupCode';
  secretEncrypted: string;
  details: Json;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface ApplicationRow extends Identified {
  name: string;
  description: string | null;
  type: 'Native' | 'SPA' | 'Traditional' | 'MachineToMachine';
  oidcClientMetadata: {
    redirectUris: string[];
    postLogoutRedirectUris: string[];
    backchannelLogoutUri?: string;
    logoUri?: string;
  };
  customClientMetadata: {
    allowTokenExchange?: boolean;
    corsAllowedOrigins?: string[];
    refreshTokenTtlInDays?: number;
    alwaysIssueRefreshToken?: boolean;
    rotateRefreshToken?: boolean;
  };
  customData: Json;
  isThirdParty: boolean;
  createdAt: number;
}

export interface ApplicationSecretRow extends Owned {
  applicationId: string;
  name: string;
  valueEncrypted: string;
  createdAt: number;
  expiresAt: number | null;
}

export interface ResourceRow extends Identified {
  name: string;
  indicator: string;
  isDefault: boolean;
  accessTokenTtl: number;
}

export interface ScopeRow extends Identified {
  resourceId: string;
  name: string;
  description: string | null;
  createdAt: number;
}

export interface RoleRow extends Identified {
  name: string;
  description: string;
  type: 'User' | 'MachineToMachine';
  isDefault: boolean;
}

export interface OrganizationRow extends Identified {
  name: string;
  description: string | null;
  customData: Json;
  isMfaRequired: boolean;
  color: Json;
  branding: Json;
  customCss: string | null;
  createdAt: number;
}

export interface OrganizationRoleRow extends Identified {
  name: string;
  description: string | null;
  type: 'User' | 'MachineToMachine';
}

export interface OrganizationScopeRow extends Identified {
  name: string;
  description: string | null;
}

export interface SigningKeyRow extends Identified {
  algorithm: 'ES256' | 'ES384' | 'RS256' | 'EdDSA';
  privateKeyEncrypted: string;
  state: 'next' | 'current' | 'previous';
  createdAt: number;
  retireAt: number | null;
}

export interface OidcPayloadRow extends Identified {
  model: string;
  payloadEncrypted: string;
  accountId: string | null;
  clientId: string | null;
  grantId: string | null;
  uid: string | null;
  expiresAt: number | null;
  consumedAt: number | null;
}

export interface SubjectTokenRow extends Identified {
  tokenHash: string;
  userId: string;
  context: Json;
  clientId: string | null;
  actorId: string | null;
  resource: string | null;
  creatorId: string;
  createdAt: number;
  expiresAt: number;
  spentAt: number | null;
  revokedAt: number | null;
}

export interface ImpersonationRow extends Identified {
  subjectTokenId: string;
  subjectId: string;
  actorId: string | null;
  applicationId: string;
  resource: string | null;
  organizationId: string | null;
  scope: string;
  context: Json;
  ip: string | null;
  userAgent: string | null;
  issuedAt: number;
  expiresAt: number;
  revokedAt: number | null;
  revokedBy: string | null;
}

export interface RevokedTokenRow extends Identified {
  expiresAt: number;
  revokedAt: number;
}

export interface HookRow extends Identified {
  name: string;
  event: string | null;
  events: string[];
  config: { url: string; headers?: Record<string, string>; retries?: number };
  signingKeyEncrypted: string;
  oldSigningKeys: { signingKeyEncrypted: string; expiresAt: number }[];
  enabled: boolean;
  disabledReason: string | null;
  failingSince: number | null;
  lastFailureAt: number | null;
  goneCount: number;
  createdAt: number;
}

export interface EventRow extends Identified {
  type: string;
  body: string;
  occurredAt: number;
}

export interface ReplayRow extends Identified {
  hookId: string;
  filter: Json;
  cursor: string | null;
  count: number;
  done: number;
  state: 'running' | 'done' | 'cancelled';
  createdAt: number;
}

export interface DeliveryRow extends Identified {
  eventId: string;
  hookId: string;
  state: 'waiting' | 'delivering' | 'dead' | 'cancelled';
  dueAt: number;
  attempts: number;
  leaseUntil: number | null;
  leaseOwner: string | null;
  lastStatus: number | null;
  trigger: 'schedule' | 'manual' | 'replay';
  createdAt: number;
}

export interface AttemptRow extends Identified {
  deliveryId: string;
  eventId: string;
  eventType: string;
  hookId: string;
  number: number;
  trigger: 'schedule' | 'manual' | 'replay';
  startedAt: number;
  durationMs: number;
  status: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
  isSuccess: boolean;
}

export type TokenType = 'access-token' | 'client-credentials';

export interface ScriptVersionRow extends Owned {
  tokenType: TokenType;
  number: number;
  script: string;
  sha256: string;
  environmentEncrypted: string | null;
  tokenSample: Json | null;
  contextSample: Json | null;
  blockIssuanceOnError: boolean;
  recordInputs: boolean;
  authorId: string;
  createdAt: number;
}

export interface ActiveScriptRow extends Owned {
  tokenType: TokenType;
  number: number;
}

export interface ScriptRunRow extends Identified {
  tokenType: TokenType;
  number: number;
  result: string;
  message: string | null;
  wallMs: number;
  cpuMs: number;
  droppedClaims: string[];
  console: { level: string; text: string }[];
  userId: string | null;
  jti: string | null;
  inputEncrypted: string | null;
  createdAt: number;
}

export interface AuditRow extends Identified {
  key: string;
  result: 'Success' | 'Error';
  applicationId: string | null;
  userId: string | null;
  actorId: string | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
  payload: Json;
  createdAt: number;
}

export interface ConnectorRow extends Identified {
  target: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecretEncrypted: string;
  scope: string;
  domains: string[];
  createdAt: number;
}

export interface SignInProgressRow extends Identified {
  version: number;
  stateEncrypted: string;
  finishedAt: number | null;
  expiresAt: number;
}

export interface VerificationCodeRow extends Identified {
  codeEncrypted: string;
  attempts: number;
  spentAt: number | null;
  expiresAt: number;
}

export interface Tables {
  users: UserRow;
  userIdentities: UserIdentityRow;
  userFactors: UserFactorRow;
  applications: ApplicationRow;
  applicationSecrets: ApplicationSecretRow;
  resources: ResourceRow;
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
  revokedTokens: RevokedTokenRow;
  hooks: HookRow;
  events: EventRow;
  replays: ReplayRow;
  deliveries: DeliveryRow;
  attempts: AttemptRow;
  scriptVersions: ScriptVersionRow;
  activeScripts: ActiveScriptRow;
  scriptRuns: ScriptRunRow;
  auditLog: AuditRow;
  signInSettings: Owned & { settings: Json };
  connectors: ConnectorRow;
  signInProgress: SignInProgressRow;
  verificationCodes: VerificationCodeRow;
  rateLimits: Owned & { key: string; points: number; expiresAt: number };
}

export type Table = keyof Tables;

/**
 * A column of one of these names holds JSON, or a boolean, in whichever table it is. SQLite gives
 * back text and 0/1 for them, so one name never means two things.
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
]);
