import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { OrganizationRoleRow } from '../../database/tables/index.ts';
import { OrganizationRole, OrganizationScope, Resource, Scope } from '../../entities.ts';

const Named = Type.Pick(OrganizationScope, ['id', 'name']);
const ResourceScope = Type.Object({
  ...Type.Pick(Scope, ['id', 'name']).properties,
  resource: Type.Pick(Resource, ['id', 'name']),
});

export const OrganizationRoleWithScopes = Type.Object({
  ...OrganizationRole.properties,
  scopes: Type.Array(Named),
  resourceScopes: Type.Array(ResourceScope),
});

interface Held {
  organizationRoleId: string;
  id: string;
  name: string;
}

async function scopesOf(store: TenantStore, ids: string[]): Promise<Held[]> {
  return (await store
    .from('organizationRoleScopes')
    .join(store.rows('organizationScopes'), 'organizationScopes.id', 'organizationRoleScopes.organizationScopeId')
    .whereIn('organizationRoleId', ids)
    .orderBy('organizationScopes.name')
    .select({
      organizationRoleId: 'organizationRoleId',
      id: 'organizationScopes.id',
      name: 'organizationScopes.name',
    })) as unknown as Held[];
}

async function resourceScopesOf(store: TenantStore, ids: string[]) {
  const rows = (await store
    .from('organizationRoleResourceScopes')
    .join(store.rows('scopes'), 'scopes.id', 'organizationRoleResourceScopes.scopeId')
    .join(store.rows('resources'), 'resources.id', 'scopes.resourceId')
    .whereIn('organizationRoleId', ids)
    .orderBy('scopes.name')
    .select({
      organizationRoleId: 'organizationRoleId',
      id: 'scopes.id',
      name: 'scopes.name',
      resourceId: 'resources.id',
      resourceName: 'resources.name',
    })) as unknown as (Held & { resourceId: string; resourceName: string })[];
  return rows.map(({ resourceId, resourceName, ...held }) => ({
    ...held,
    resource: { id: resourceId, name: resourceName },
  }));
}

/** Returns the roles with their scopes, which two queries read for all roles. */
export async function withRoleScopes(store: TenantStore, roles: readonly OrganizationRoleRow[]) {
  const ids = roles.map(({ id }) => id);
  const [scopes, resourceScopes] = await Promise.all([scopesOf(store, ids), resourceScopesOf(store, ids)]);
  const byRole = Map.groupBy(scopes, ({ organizationRoleId }) => organizationRoleId);
  const resourceByRole = Map.groupBy(resourceScopes, ({ organizationRoleId }) => organizationRoleId);
  return roles.map((role) => ({
    ...role,
    scopes: byRole.get(role.id) ?? [],
    resourceScopes: resourceByRole.get(role.id) ?? [],
  }));
}
