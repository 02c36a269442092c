import type { Operation } from '../http/operation.ts';
import { applicationRoles } from './application-roles.ts';
import { applicationSecrets } from './application-secrets.ts';
import { applications } from './applications.ts';
import { connectors } from './connectors.ts';
import { hookDeliveries } from './hook-deliveries.ts';
import { hookLogs } from './hook-logs.ts';
import { hooks } from './hooks.ts';
import { impersonationPolicy } from './impersonation-policy.ts';
import { impersonations } from './impersonations.ts';
import { jwtCustomizer } from './jwt-customizer.ts';
import { keyRotation } from './key-rotation.ts';
import { logs } from './logs.ts';
import { memberOrganizations } from './member-organizations.ts';
import { organizationApplicationRoles } from './organization-application-roles.ts';
import { organizationApplications } from './organization-applications.ts';
import { organizationRoleResourceScopes } from './organization-role-resource-scopes.ts';
import { organizationRoleScopes } from './organization-role-scopes.ts';
import { organizationRoles } from './organization-roles.ts';
import { organizationScopes } from './organization-scopes.ts';
import { organizationUserRoles } from './organization-user-roles.ts';
import { organizationUsers } from './organization-users.ts';
import { organizations } from './organizations.ts';
import { overview } from './overview.ts';
import { resources } from './resources.ts';
import { roleApplications } from './role-applications.ts';
import { roleScopes } from './role-scopes.ts';
import { roleUsers } from './role-users.ts';
import { roles } from './roles.ts';
import { scopes } from './scopes.ts';
import { scriptLimits } from './script-limits.ts';
import { scriptTests } from './script-tests.ts';
import { scriptVersions } from './script-versions.ts';
import { signInExp } from './sign-in-exp.ts';
import { signingKeys } from './signing-keys.ts';
import { subjectTokens } from './subject-tokens.ts';
import { userData } from './user-data.ts';
import { userFactors } from './user-factors.ts';
import { userIdentities } from './user-identities.ts';
import { userPasswords } from './user-passwords.ts';
import { userRoles } from './user-roles.ts';
import { userSessions } from './user-sessions.ts';
import { users } from './users.ts';
/** Every operation of the Management API, in the order of the reference. If two routes match, the first one answers. */
export const operations: readonly Operation[] = [
  ...users,
  ...userData,
  ...userPasswords,
  ...userRoles,
  ...userIdentities,
  ...userFactors,
  ...userSessions,
  ...memberOrganizations,
  ...roles,
  ...roleScopes,
  ...roleUsers,
  ...roleApplications,
  ...resources,
  ...scopes,
  ...organizations,
  ...organizationUsers,
  ...organizationUserRoles,
  ...organizationApplications,
  ...organizationApplicationRoles,
  ...organizationRoles,
  ...organizationRoleScopes,
  ...organizationRoleResourceScopes,
  ...organizationScopes,
  ...applications,
  ...applicationSecrets,
  ...applicationRoles,
  ...subjectTokens,
  ...impersonations,
  ...impersonationPolicy,
  ...jwtCustomizer,
  ...scriptTests,
  ...scriptLimits,
  ...scriptVersions,
  ...hooks,
  ...hookLogs,
  ...hookDeliveries,
  ...signingKeys,
  ...keyRotation,
  ...signInExp,
  ...connectors,
  ...logs,
  ...overview,
];
