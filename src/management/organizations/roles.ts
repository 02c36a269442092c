import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Row } from '../../database/tables/index.ts';
import { OrganizationRole, OrganizationScope, Resource, Scope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids, optional } from '../shared/fields.ts';
import { byId, byName, containing, list, mapped, removal, TEXTS, TextQuery } from '../shared/listing.ts';
import { addRoleScopes, ORGANIZATION_SCOPES, RESOURCE_SCOPES } from './role-scopes.ts';

const { name, description, type } = OrganizationRole.properties;

const Named = Type.Pick(OrganizationScope, ['id', 'name']);
const ResourceScope = Type.Object({
  ...Type.Pick(Scope, ['id', 'name']).properties,
  resource: Type.Pick(Resource, ['id', 'name']),
});

const OrganizationRoleWithScopes = Type.Object({
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
  return store
    .from('organizationRoleScopes')
    .join(store.rows('organizationScopes'), 'organizationScopes.id', 'organizationRoleScopes.organizationScopeId')
    .whereIn('organizationRoleId', ids)
    .orderBy('organizationScopes.name')
    .select({
      organizationRoleId: 'organizationRoleId',
      id: 'organizationScopes.id',
      name: 'organizationScopes.name',
    });
}

async function resourceScopesOf(store: TenantStore, ids: string[]) {
  const rows: (Held & { resourceId: string; resourceName: string })[] = await store
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
    });
  return rows.map(({ resourceId, resourceName, ...held }) => ({
    ...held,
    resource: { id: resourceId, name: resourceName },
  }));
}

/** Returns the roles with their scopes, which two queries read for all roles. */
async function withRoleScopes(store: TenantStore, roles: readonly Row<'organizationRoles'>[]) {
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

export const organizationRoles = [
  operation('GET /organization-roles', {
    summary: 'List organization roles by name, each with its scopes',
    role: 'viewer',
    status: 200,
    query: TextQuery,
    returns: Type.Array(OrganizationRoleWithScopes),
    paginated: 'always',
    async run({ query, page, store }) {
      const where = containing(store, TEXTS, query.q);
      const roles = await list(store, 'organizationRoles', { page, order: byName, where });
      return mapped(roles, (rows) => withRoleScopes(store, rows));
    },
  }),

  operation('POST /organization-roles', {
    summary: 'Create an organization role, optionally with scopes',
    role: 'editor',
    description: 'If a scope is unknown, no role is created.',
    status: 201,
    body: Type.Object({
      name,
      description: Type.Optional(description),
      type: Type.Optional(type),
      organizationScopeIds: Type.Optional(Ids({ least: 0 })),
      resourceScopeIds: Type.Optional(Ids({ least: 0 })),
    }),
    example: { name: 'Support', description: 'Helps the members of an organization' },
    returns: OrganizationRole,
    errors: [
      'entity.unique_integrity_violation',
      ['entity.relation_foreign_key_not_found', 422],
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ body: { organizationScopeIds = [], resourceScopeIds = [], ...fields }, store }) {
      const role = await store.insert('organizationRoles', { id: newId(), type: 'User', ...fields });
      await addRoleScopes(store, ORGANIZATION_SCOPES, role.id, organizationScopeIds);
      await addRoleScopes(store, RESOURCE_SCOPES, role.id, resourceScopeIds, 'resourceScopeIds');
      return { ...role, hasScopes: organizationScopeIds.length + resourceScopeIds.length > 0 };
    },
    event: 'OrganizationRole.Created',
    furtherEvents: [
      {
        event: 'OrganizationRole.Scopes.Updated',
        eventFields: ({ id, hasScopes }) => hasScopes && { organizationRoleId: id },
      },
    ],
  }),

  operation('GET /organization-roles/:id', byId('organizationRoles', 'Get an organization role', OrganizationRole)),

  operation('PATCH /organization-roles/:id', {
    summary: 'Update the name or description of an organization role',
    role: 'editor',
    status: 200,
    body: optional({ name, description }),
    returns: OrganizationRole,
    errors: ['entity.not_exists', 'entity.invalid_input', 'entity.unique_integrity_violation'],
    run: ({ params, body, store }) => store.update('organizationRoles', params, body),
    event: 'OrganizationRole.Data.Updated',
  }),

  operation('DELETE /organization-roles/:id', {
    ...removal('organizationRoles', 'Delete an organization role and remove it from every member'),
    event: 'OrganizationRole.Deleted',
  }),
];
