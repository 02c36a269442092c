import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { OrganizationRole } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids, optional } from '../shared/fields.ts';
import { byName, containing, list, mapped } from '../shared/listing.ts';
import { addRoleScopes, ORGANIZATION_SCOPES, RESOURCE_SCOPES } from './role-scope-sets.ts';
import { OrganizationRoleWithScopes, withRoleScopes } from './role-view.ts';

const { name, description, type } = OrganizationRole.properties;

export const organizationRoles = [
  operation('GET /organization-roles', {
    summary: 'List organization roles by name, each with its scopes',
    status: 200,
    query: optional({ q: Type.String({ description: 'Text to search for in id, name and description' }) }),
    returns: Type.Array(OrganizationRoleWithScopes),
    paginated: 'always',
    async run({ query, page, store }) {
      const where = containing(store, ['id', 'name', 'description'], query.q);
      const roles = await list(store, 'organizationRoles', { page, order: byName, where });
      return mapped(roles, (rows) => withRoleScopes(store, rows));
    },
  }),

  operation('POST /organization-roles', {
    summary: 'Create an organization role, optionally with scopes',
    description: 'If a scope is unknown, no role is created.',
    status: 201,
    body: Type.Object({
      name,
      description: Type.Optional(description),
      type: Type.Optional(type),
      organizationScopeIds: Type.Optional(Ids({ least: 0 })),
      resourceScopeIds: Type.Optional(Ids({ least: 0 })),
    }),
    returns: OrganizationRole,
    errors: [
      'entity.unique_integrity_violation',
      ['entity.relation_foreign_key_not_found', 422],
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ body: { organizationScopeIds = [], resourceScopeIds = [], ...fields }, store }) {
      const role = await store.insert('organizationRoles', { id: newId(), description: null, type: 'User', ...fields });
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

  operation('GET /organization-roles/:id', {
    summary: 'Get an organization role',
    status: 200,
    returns: OrganizationRole,
    errors: ['entity.not_exists_with_id'],
    run: ({ params, store }) => store.get('organizationRoles', params),
  }),

  operation('PATCH /organization-roles/:id', {
    summary: 'Update the name or description of an organization role',
    status: 200,
    body: optional({ name, description }),
    returns: OrganizationRole,
    errors: ['entity.not_exists', 'entity.invalid_input', 'entity.unique_integrity_violation'],
    run: ({ params, body, store }) => store.update('organizationRoles', params, body),
    event: 'OrganizationRole.Data.Updated',
  }),

  operation('DELETE /organization-roles/:id', {
    summary: 'Delete an organization role and remove it from every member',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => store.remove('organizationRoles', params),
    event: 'OrganizationRole.Deleted',
  }),
];
