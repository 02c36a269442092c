import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { Scope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';
import { byName, list } from '../shared/listing.ts';
import { searchable, searching, searchOf, searchQuery } from '../shared/search.ts';
import { refuseManagementApi } from './resources.ts';
import { checkScopeName } from './scope-names.ts';

const { name, description } = Scope.properties;

export const scopes = [
  operation('GET /resources/:resourceId/scopes', {
    summary: 'List the scopes of an API resource by name',
    status: 200,
    query: searchQuery(searchable.scopes),
    returns: Type.Array(Scope),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { resourceId }, query, page, store }) {
      await store.get('resources', { id: resourceId });
      return searching(store, searchOf(store, query, searchable.scopes), async (store, found) =>
        list(store, 'scopes', { page, order: byName, where: (scopes) => scopes.where({ resourceId }).where(found) }),
      );
    },
  }),

  operation('POST /resources/:resourceId/scopes', {
    summary: 'Create a scope for an API resource',
    status: 201,
    body: Type.Object({ name, description: Type.Optional(description) }),
    returns: Scope,
    errors: [
      'entity.not_exists_with_id',
      'resource.cannot_modify_management_api',
      'scope.name_with_space',
      'scope.name_reserved',
      'scope.name_exists',
    ],
    async run({ params: { resourceId }, body, store, now }) {
      refuseManagementApi(resourceId);
      checkScopeName(body.name);
      await store.get('resources', { id: resourceId });
      return store.insert('scopes', { id: newId(), resourceId, description: null, ...body, createdAt: now });
    },
    event: 'Scope.Created',
  }),

  operation('PATCH /resources/:resourceId/scopes/:scopeId', {
    summary: 'Update the name or description of a scope',
    status: 200,
    body: optional({ name, description }),
    returns: Scope,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'resource.cannot_modify_management_api',
      'scope.name_with_space',
      'scope.name_reserved',
      'scope.name_exists',
    ],
    async run({ params: { resourceId, scopeId }, body, store }) {
      refuseManagementApi(resourceId);
      if (body.name !== undefined) checkScopeName(body.name);
      return store.update('scopes', { id: scopeId, resourceId }, body);
    },
    event: 'Scope.Data.Updated',
  }),

  operation('DELETE /resources/:resourceId/scopes/:scopeId', {
    summary: 'Delete a scope and remove it from every role',
    status: 204,
    errors: ['entity.not_found', 'resource.cannot_modify_management_api'],
    async run({ params: { resourceId, scopeId }, store }) {
      refuseManagementApi(resourceId);
      await store.remove('scopes', { id: scopeId, resourceId });
    },
    event: 'Scope.Deleted',
  }),
];
