import Type from 'typebox';

import { operation } from '../../http/operations/operation.ts';
import { ScopeWithResource, withResources } from '../roles/scopes.ts';
import { Ids } from '../shared/fields.ts';
import { byName, list, mapped } from '../shared/listing.ts';
import { addRoleScopes, RESOURCE_SCOPES, removeRoleScope, replaceRoleScopes } from './role-scope-sets.ts';

export const organizationRoleResourceScopes = [
  operation('GET /organization-roles/:id/resource-scopes', {
    summary: 'List the API scopes of an organization role',
    status: 200,
    returns: Type.Array(ScopeWithResource),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, page, store }) {
      await store.get('organizationRoles', { id });
      const held = store.from('organizationRoleResourceScopes').where({ organizationRoleId: id }).select('scopeId');
      const rows = await list(store, 'scopes', { page, order: byName, where: (scopes) => scopes.whereIn('id', held) });
      return mapped(rows, (rows) => withResources(store, rows));
    },
  }),

  operation('POST /organization-roles/:id/resource-scopes', {
    summary: 'Assign API scopes to an organization role',
    description: 'Scopes that the role already has are kept.',
    status: 201,
    body: Type.Object({ scopeIds: Ids() }),
    errors: [
      'entity.not_exists_with_id',
      ['entity.relation_foreign_key_not_found', 422],
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ params: { id }, body: { scopeIds }, store }) {
      await store.get('organizationRoles', { id });
      return addRoleScopes(store, RESOURCE_SCOPES, id, scopeIds);
    },
    event: 'OrganizationRole.Scopes.Updated',
    eventFields: (hasChanged) => hasChanged && {},
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('PUT /organization-roles/:id/resource-scopes', {
    summary: 'Replace the API scopes of an organization role',
    status: 204,
    body: Type.Object({ scopeIds: Ids({ least: 0 }) }),
    errors: [
      'entity.not_exists',
      ['entity.relation_foreign_key_not_found', 422],
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ params: { id }, body: { scopeIds }, store }) {
      await store.lock('organizationRoles', { id });
      return replaceRoleScopes(store, RESOURCE_SCOPES, id, scopeIds);
    },
    event: 'OrganizationRole.Scopes.Updated',
    eventFields: (hasChanged) => hasChanged && {},
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('DELETE /organization-roles/:id/resource-scopes/:scopeId', {
    summary: 'Remove an API scope from an organization role',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, scopeId }, store }) => removeRoleScope(store, RESOURCE_SCOPES, id, scopeId),
    event: 'OrganizationRole.Scopes.Updated',
  }),
];
