import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { ResourceRow, RoleRow, ScopeRow } from '../../database/tables/index.ts';
import { Resource, Scope } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { type Caller, operation } from '../../http/operations/operation.ts';
import { isSystemScope } from '../../tokens/urns.ts';
import { Ids } from '../shared/fields.ts';
import { byName, mapped } from '../shared/listing.ts';
import { guardScopes } from '../shared/operator-rights.ts';
import { search, searchQuery } from '../shared/search.ts';

export const ScopeWithResource = Type.Object({ ...Scope.properties, resource: Resource });

/** Returns the scopes with their resources, which one query reads for all. */
export async function withResources(store: TenantStore, scopes: readonly ScopeRow[]) {
  if (scopes.length === 0) return [];
  const resources = await store
    .from('resources')
    .whereIn('id', [...new Set(scopes.map(({ resourceId }) => resourceId))]);
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  return scopes.map((scope) => ({ ...scope, resource: byId.get(scope.resourceId) as ResourceRow }));
}

const held = (store: TenantStore, roleId: string) => store.from('roleScopes').where({ roleId }).select('scopeId');

/**
 * @throws 400 `role.management_api_scopes_not_assignable_to_user_role`
 * @throws 403 `auth.forbidden` or `administrator.role_required` for a scope that gives more rights than the caller has
 * @throws 404 `entity.relation_foreign_key_not_found`, 422 `role.scope_exists`
 */
export async function assignScopes(
  store: TenantStore,
  caller: Caller,
  role: RoleRow,
  scopeIds: string[],
): Promise<ScopeRow[]> {
  if (scopeIds.length === 0) return [];
  if (role.type === 'User' && scopeIds.some(isSystemScope))
    throw new ServiceError('role.management_api_scopes_not_assignable_to_user_role');
  await guardScopes(store, caller, scopeIds);
  const scopes = await store.from('scopes').whereIn('id', scopeIds).orderBy(byName).select('*');
  if (scopes.length !== scopeIds.length) throw foreignKeyNotFound('scopeIds');
  const rows = scopeIds.map((scopeId) => ({ roleId: role.id, scopeId }));
  await store.add('roleScopes', rows);
  return scopes;
}

export const roleScopes = [
  operation('GET /roles/:id/scopes', {
    summary: 'List the scopes of a role, each with its resource',
    role: 'viewer',
    status: 200,
    query: searchQuery('scopes'),
    returns: Type.Array(ScopeWithResource),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('roles', { id });
      const where: Condition = (scopes) => scopes.whereIn('id', held(store, id));
      const rows = await search(store, 'scopes', query, { page, order: byName, where });
      return mapped(rows, (rows) => withResources(store, rows));
    },
  }),

  operation('POST /roles/:id/scopes', {
    summary: 'Assign scopes to a role',
    role: 'editor',
    description: 'Returns all scopes of the role.',
    status: 201,
    body: Type.Object({ scopeIds: Ids() }),
    returns: Type.Array(Scope),
    errors: [
      'entity.not_exists_with_id',
      'entity.relation_foreign_key_not_found',
      'role.scope_exists',
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ params: { id }, body: { scopeIds }, caller, store }) {
      await assignScopes(store, caller, await store.get('roles', { id }), scopeIds);
      return store.from('scopes').whereIn('id', held(store, id)).orderBy(byName).select('*');
    },
    event: 'Role.Scopes.Updated',
    audit: (_, { body }) => ({ scopeIds: body.scopeIds }),
  }),

  operation('DELETE /roles/:id/scopes/:scopeId', {
    summary: 'Remove a scope from a role',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, scopeId }, store }) => store.remove('roleScopes', { roleId: id, scopeId }),
    event: 'Role.Scopes.Updated',
    eventFields: () => ({}),
  }),
];
