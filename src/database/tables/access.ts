import { cached, flag, id, json, key, number, of, orDefault, orNull, sealed, table, text, unique } from './table.ts';

/** Applications, resources and roles. */
export const accessTables = {
  applications: cached({
    id,
    name: text,
    description: orNull(text),
    type: of<'Native' | 'SPA' | 'Traditional' | 'MachineToMachine'>(text),
    oidcClientMetadata: of<{
      redirectUris: string[];
      postLogoutRedirectUris: string[];
      backchannelLogoutUri?: string;
      logoUri?: string;
    }>(json),
    customClientMetadata: of<{
      allowTokenExchange?: boolean;
      corsAllowedOrigins?: string[];
      idTokenTtl?: number;
      refreshTokenTtlInDays?: number;
      alwaysIssueRefreshToken?: boolean;
      rotateRefreshToken?: boolean;
      requirePkce?: boolean;
    }>(json),
    customData: json,
    isThirdParty: orDefault(flag, false),
    createdAt: number,
  }),
  applicationSecrets: cached({
    applicationId: key(text),
    name: unique(key(text), 'application.secret_name_exists'),
    valueEncrypted: sealed,
    createdAt: number,
    expiresAt: orNull(number),
  }),
  resources: cached({
    id,
    name: text,
    indicator: unique(text, 'resource.resource_identifier_in_use'),
    isDefault: orDefault(flag, false),
    accessTokenTtl: orDefault(number, 3600),
  }),
  /** Additional indicators of resources. */
  resourceAliases: cached({ indicator: unique(key(text), 'resource.resource_identifier_in_use'), resourceId: text }),
  scopes: cached({
    id,
    resourceId: text,
    name: unique(text, 'scope.name_exists'),
    description: orNull(text),
    createdAt: number,
  }),
  roles: cached({
    id,
    name: unique(text, 'role.name_in_use'),
    description: text,
    type: of<'User' | 'MachineToMachine'>(text),
    isDefault: orDefault(flag, false),
  }),
  roleScopes: cached({ roleId: key(text), scopeId: unique(key(text), 'role.scope_exists') }),
  userRoles: table({ userId: key(text), roleId: key(text) }),
  applicationRoles: cached({ applicationId: key(text), roleId: key(text) }),
};
