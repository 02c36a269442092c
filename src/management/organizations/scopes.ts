import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { OrganizationScope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { checkScopeName, SCOPE_NAME_ERRORS } from '../resources/scopes.ts';
import { optional } from '../shared/fields.ts';
import { byId, byName, containing, list, removal, TEXTS, TextQuery } from '../shared/listing.ts';

const { name, description } = OrganizationScope.properties;

export const organizationScopes = [
  operation('GET /organization-scopes', {
    summary: 'List organization scopes by name',
    role: 'viewer',
    status: 200,
    query: TextQuery,
    returns: Type.Array(OrganizationScope),
    paginated: 'optional',
    run: ({ query, page, store }) =>
      list(store, 'organizationScopes', { page, order: byName, where: containing(store, TEXTS, query.q) }),
  }),

  operation('POST /organization-scopes', {
    summary: 'Create an organization scope',
    role: 'editor',
    status: 201,
    body: Type.Object({ name, description: Type.Optional(description) }),
    returns: OrganizationScope,
    errors: ['entity.unique_integrity_violation', ...SCOPE_NAME_ERRORS],
    async run({ body, store }) {
      checkScopeName(body.name);
      return store.insert('organizationScopes', { id: newId(), ...body });
    },
    event: 'OrganizationScope.Created',
  }),

  operation('GET /organization-scopes/:id', byId('organizationScopes', 'Get an organization scope', OrganizationScope)),

  operation('PATCH /organization-scopes/:id', {
    summary: 'Update the name or description of an organization scope',
    role: 'editor',
    status: 200,
    body: optional({ name, description }),
    returns: OrganizationScope,
    errors: ['entity.not_exists', 'entity.invalid_input', 'entity.unique_integrity_violation', ...SCOPE_NAME_ERRORS],
    async run({ params, body, store }) {
      if (body.name !== undefined) checkScopeName(body.name);
      return store.update('organizationScopes', params, body);
    },
    event: 'OrganizationScope.Data.Updated',
  }),

  operation('DELETE /organization-scopes/:id', {
    ...removal('organizationScopes', 'Delete an organization scope and remove it from every role'),
    event: 'OrganizationScope.Deleted',
  }),
];
