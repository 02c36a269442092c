import type { ApiOf } from '../http/operations/operation.ts';
import { applications } from './applications/applications.ts';
import { applicationRoles } from './applications/roles.ts';
import { applicationSecrets } from './applications/secrets.ts';
import { jwtCustomizer } from './claims/jwt-customizer.ts';
import { scriptLimits } from './claims/script-limits.ts';
import { scriptTests } from './claims/script-tests.ts';
import { scriptVersions } from './claims/script-versions.ts';
import { finding } from './find/find.ts';
import { impersonations } from './impersonations/impersonations.ts';
import { subjectTokens } from './impersonations/subject-tokens.ts';
import { organizationApplicationRoles, organizationUserRoles } from './organizations/member-roles.ts';
import { organizationApplications, organizationUsers } from './organizations/members.ts';
import { memberOrganizations } from './organizations/memberships.ts';
import { organizations } from './organizations/organizations.ts';
import { organizationRoleScopes } from './organizations/role-scopes.ts';
import { organizationRoles } from './organizations/roles.ts';
import { organizationScopes } from './organizations/scopes.ts';
import { resources } from './resources/resources.ts';
import { scopes } from './resources/scopes.ts';
import { roleHolders } from './roles/holders.ts';
import { roles } from './roles/roles.ts';
import { roleScopes } from './roles/scopes.ts';
import { logs } from './settings/audit-logs.ts';
import { connectors } from './settings/connectors.ts';
import { gettingStarted } from './settings/getting-started.ts';
import { overview } from './settings/overview.ts';
import { signInExp } from './settings/sign-in-experience.ts';
import { signingKeys } from './settings/signing-keys.ts';
import { userData } from './users/custom-data.ts';
import { userFactors } from './users/factors.ts';
import { userIdentities } from './users/identities.ts';
import { userPasswords } from './users/passwords.ts';
import { userRoles } from './users/roles.ts';
import { userScopes } from './users/scopes.ts';
import { userSessions } from './users/sessions.ts';
import { users } from './users/users.ts';
import { hookDeliveries } from './webhooks/deliveries.ts';
import { hookHealth } from './webhooks/health.ts';
import { hooks } from './webhooks/hooks.ts';
import { hookLogs } from './webhooks/logs.ts';

/** Every operation of the Management API, in the order of the reference. If two routes match, the first one answers. */
export const operations = [
  ...users,
  ...userData,
  ...userPasswords,
  ...userRoles,
  ...userScopes,
  ...userIdentities,
  ...userFactors,
  ...userSessions,
  ...memberOrganizations,
  ...roles,
  ...roleScopes,
  ...roleHolders,
  ...resources,
  ...scopes,
  ...organizations,
  ...organizationUsers,
  ...organizationUserRoles,
  ...organizationApplications,
  ...organizationApplicationRoles,
  ...organizationRoles,
  ...organizationRoleScopes,
  ...organizationScopes,
  ...applications,
  ...applicationSecrets,
  ...applicationRoles,
  ...subjectTokens,
  ...impersonations,
  ...jwtCustomizer,
  ...scriptTests,
  ...scriptLimits,
  ...scriptVersions,
  ...hooks,
  ...hookLogs,
  ...hookDeliveries,
  ...hookHealth,
  ...signingKeys,
  ...signInExp,
  ...connectors,
  ...logs,
  ...overview,
  ...finding,
  ...gettingStarted,
] as const;

/** The types of the calls of the Management API, by route. */
export type ManagementApi = ApiOf<typeof operations>;
