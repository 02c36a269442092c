import type { Table } from './index.ts';

/** What a tenant configures and requests only read: kept by every process, and dropped there when it is written. */
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
