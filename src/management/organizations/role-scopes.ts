import Type from 'typebox';
import { OrganizationScope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids } from '../shared/fields.ts';
import { byName, list } from '../shared/listing.ts';
import { addRoleScopes, ORGANIZATION_SCOPES, removeRoleScope, replaceRoleScopes } from './role-scope-sets.ts';

export const organizationRoleScopes = [
  operation('GET /organization-roles/:id/scopes', {
    summary: 'List the organization scopes of an organization role',
    status: 200,
    returns: Type.Array(OrganizationScope),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, page, store }) {
      await store.get('organizationRoles', { id });
      const held = store.from('organizationRoleScopes').where({ organizationRoleId: id }).select('organizationScopeId');
      return list(store, 'organizationScopes', { page, order: byName, where: (scopes) => scopes.whereIn('id', held) });
    },
  }),

  operation('POST /organization-roles/:id/scopes', {
    summary: 'Assign organization scopes to an organization role',
    description: 'Scopes that the role already has are kept.',
    status: 201,
    body: Type.Object({ organizationScopeIds: Ids() }),
    errors: ['entity.not_exists_with_id', ['entity.relation_foreign_key_not_found', 422]],
    async run({ params: { id }, body: { organizationScopeIds }, store }) {
      await store.get('organizationRoles', { id });
      return addRoleScopes(store, ORGANIZATION_SCOPES, id, organizationScopeIds);
    },
    event: 'OrganizationRole.Scopes.Updated',
    eventFields: (hasChanged) => hasChanged && {},
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('PUT /organization-roles/:id/scopes', {
    summary: 'Replace the organization scopes of an organization role',
    status: 204,
    body: Type.Object({ organizationScopeIds: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', ['entity.relation_foreign_key_not_found', 422]],
    async run({ params: { id }, body: { organizationScopeIds }, store }) {
      await store.lock('organizationRoles', { id });
      return replaceRoleScopes(store, ORGANIZATION_SCOPES, id, organizationScopeIds);
    },
    event: 'OrganizationRole.Scopes.Updated',
    eventFields: (hasChanged) => hasChanged && {},
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('DELETE /organization-roles/:id/scopes/:organizationScopeId', {
    summary: 'Remove an organization scope from an organization role',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, organizationScopeId }, store }) =>
      removeRoleScope(store, ORGANIZATION_SCOPES, id, organizationScopeId),
    event: 'OrganizationRole.Scopes.Updated',
  }),
];
