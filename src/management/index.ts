import type { Operation } from '../http/operations/operation.ts';
import { applications } from './applications/applications.ts';
import { applicationRoles } from './applications/roles.ts';
import { applicationSecrets } from './applications/secrets.ts';
import { jwtCustomizer } from './claims/jwt-customizer.ts';
import { scriptLimits } from './claims/script-limits.ts';
import { scriptTests } from './claims/script-tests.ts';
import { scriptVersions } from './claims/script-versions.ts';
import { impersonations } from './impersonations/impersonations.ts';
import { impersonationPolicy } from './impersonations/policy.ts';
import { subjectTokens } from './impersonations/subject-tokens.ts';
import { organizationApplicationRoles } from './organizations/application-roles.ts';
import { organizationApplications } from './organizations/applications.ts';
import { memberOrganizations } from './organizations/member-organizations.ts';
import { organizations } from './organizations/organizations.ts';
import { organizationRoleResourceScopes } from './organizations/role-resource-scopes.ts';
import { organizationRoleScopes } from './organizations/role-scopes.ts';
import { organizationRoles } from './organizations/roles.ts';
import { organizationScopes } from './organizations/scopes.ts';
import { organizationUserRoles } from './organizations/user-roles.ts';
import { organizationUsers } from './organizations/users.ts';
import { resources } from './resources/resources.ts';
import { scopes } from './resources/scopes.ts';
import { roleApplications } from './roles/applications.ts';
import { roles } from './roles/roles.ts';
import { roleScopes } from './roles/scopes.ts';
import { roleUsers } from './roles/users.ts';
import { logs } from './settings/audit-logs.ts';
import { connectors } from './settings/connectors.ts';
import { keyRotation } from './settings/key-rotation.ts';
import { overview } from './settings/overview.ts';
import { signInExp } from './settings/sign-in-experience.ts';
import { signingKeys } from './settings/signing-keys.ts';
import { userData } from './users/custom-data.ts';
import { userFactors } from './users/factors.ts';
import { userIdentities } from './users/identities.ts';
import { userPasswords } from './users/passwords.ts';
import { userRoles } from './users/roles.ts';
import { userSessions } from './users/sessions.ts';
import { users } from './users/users.ts';
import { hookDeliveries } from './webhooks/deliveries.ts';
import { hooks } from './webhooks/hooks.ts';
import { hookLogs } from './webhooks/logs.ts';
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
