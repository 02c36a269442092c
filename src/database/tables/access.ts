import type { Identified, Json, Owned } from './row.ts';

/** Rows of applications, resources, roles and organizations. */

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
    idTokenTtl?: number;
    refreshTokenTtlInDays?: number;
    alwaysIssueRefreshToken?: boolean;
    rotateRefreshToken?: boolean;
    requirePkce?: boolean;
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

/** An additional indicator of a resource. */
export interface ResourceAliasRow extends Owned {
  indicator: string;
  resourceId: string;
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
