import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { Scope } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';
import { byName } from '../shared/listing.ts';
import { search, searchQuery } from '../shared/search.ts';
import { refuseManagementApi } from './resources.ts';

const { name, description } = Scope.properties;

/** Scope names of OpenID Connect. A resource-bound token must never appear to have them. */
const RESERVED = new Set([
  'openid',
  'profile',
  'email',
  'phone',
  'address',
  'offline_access',
  'custom_data',
  'identities',
  'roles',
]);
const RESERVED_PREFIX = 'urn:logto:scope:';

export const SCOPE_NAME_ERRORS = ['scope.name_with_space', 'scope.name_reserved'] as const;

/** @throws 400 `scope.name_with_space`, 422 `scope.name_reserved` */
export function checkScopeName(name: string): void {
  if (/\s/.test(name)) throw new ServiceError('scope.name_with_space');
  if (RESERVED.has(name) || name.startsWith(RESERVED_PREFIX)) throw new ServiceError('scope.name_reserved');
}

export const scopes = [
  operation('GET /resources/:resourceId/scopes', {
    summary: 'List the scopes of an API resource by name',
    role: 'viewer',
    status: 200,
    query: searchQuery('scopes'),
    returns: Type.Array(Scope),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { resourceId }, query, page, store }) {
      await store.get('resources', { id: resourceId });
      return search(store, 'scopes', query, { page, order: byName, where: (scopes) => scopes.where({ resourceId }) });
    },
  }),

  operation('POST /resources/:resourceId/scopes', {
    summary: 'Create a scope for an API resource',
    role: 'editor',
    status: 201,
    body: Type.Object({ name, description: Type.Optional(description) }),
    returns: Scope,
    errors: [
      'entity.not_exists_with_id',
      'resource.cannot_modify_management_api',
      ...SCOPE_NAME_ERRORS,
      'scope.name_exists',
    ],
    async run({ params: { resourceId }, body, store, now }) {
      refuseManagementApi(resourceId);
      checkScopeName(body.name);
      await store.get('resources', { id: resourceId });
      return store.insert('scopes', { id: newId(), resourceId, ...body, createdAt: now });
    },
    event: 'Scope.Created',
  }),

  operation('PATCH /resources/:resourceId/scopes/:scopeId', {
    summary: 'Update the name or description of a scope',
    role: 'editor',
    status: 200,
    body: optional({ name, description }),
    returns: Scope,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'resource.cannot_modify_management_api',
      ...SCOPE_NAME_ERRORS,
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
    role: 'editor',
    status: 204,
    errors: ['entity.not_found', 'resource.cannot_modify_management_api'],
    async run({ params: { resourceId, scopeId }, store }) {
      refuseManagementApi(resourceId);
      await store.remove('scopes', { id: scopeId, resourceId });
    },
    event: 'Scope.Deleted',
  }),
];
