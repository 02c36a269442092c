import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { OrganizationScope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { checkScopeName } from '../resources/scope-names.ts';
import { optional } from '../shared/fields.ts';
import { byName, containing, list } from '../shared/listing.ts';

const { name, description } = OrganizationScope.properties;

export const organizationScopes = [
  operation('GET /organization-scopes', {
    summary: 'List organization scopes by name',
    status: 200,
    query: optional({ q: Type.String({ description: 'Text to search for in id, name and description' }) }),
    returns: Type.Array(OrganizationScope),
    paginated: 'optional',
    run: ({ query, page, store }) =>
      list(store, 'organizationScopes', {
        page,
        order: byName,
        where: containing(store, ['id', 'name', 'description'], query.q),
      }),
  }),

  operation('POST /organization-scopes', {
    summary: 'Create an organization scope',
    status: 201,
    body: Type.Object({ name, description: Type.Optional(description) }),
    returns: OrganizationScope,
    errors: ['entity.unique_integrity_violation', 'scope.name_with_space', 'scope.name_reserved'],
    async run({ body, store }) {
      checkScopeName(body.name);
      return store.insert('organizationScopes', { id: newId(), description: null, ...body });
    },
    event: 'OrganizationScope.Created',
  }),

  operation('GET /organization-scopes/:id', {
    summary: 'Get an organization scope',
    status: 200,
    returns: OrganizationScope,
    errors: ['entity.not_exists_with_id'],
    run: ({ params, store }) => store.get('organizationScopes', params),
  }),

  operation('PATCH /organization-scopes/:id', {
    summary: 'Update the name or description of an organization scope',
    status: 200,
    body: optional({ name, description }),
    returns: OrganizationScope,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'entity.unique_integrity_violation',
      'scope.name_with_space',
      'scope.name_reserved',
    ],
    async run({ params, body, store }) {
      if (body.name !== undefined) checkScopeName(body.name);
      return store.update('organizationScopes', params, body);
    },
    event: 'OrganizationScope.Data.Updated',
  }),

  operation('DELETE /organization-scopes/:id', {
    summary: 'Delete an organization scope and remove it from every role',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => store.remove('organizationScopes', params),
    event: 'OrganizationScope.Deleted',
  }),
];
