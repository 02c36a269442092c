import type { Table } from './index.ts';

/**
 * Tables of a tenant's configuration, which requests only read. Every process caches them and drops them on a write.
 */
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
