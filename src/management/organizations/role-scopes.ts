import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { OrganizationScope } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { type Errors, type Input, operation, type RunTools } from '../../http/operations/operation.ts';
import { isSystemScope } from '../../tokens/urns.ts';
import { ScopeWithResource, withResources } from '../roles/scopes.ts';
import { Ids, only, requireExisting } from '../shared/fields.ts';
import { byName, list, mapped } from '../shared/listing.ts';

type Column = 'organizationScopeId' | 'scopeId';

/** An organization role has two sets of scopes: organization scopes, and scopes of API resources. */
interface ScopeSet<C extends Column = Column> {
  table: 'organizationRoleScopes' | 'organizationRoleResourceScopes';
  /** The name of the column, and of the path parameter. */
  column: C;
  /** The field of a body that contains ids of scopes. */
  ids: `${C}s`;
  /** The table of the scopes themselves. */
  target: 'organizationScopes' | 'scopes';
  noun: string;
  errors: Errors;
}

export const ORGANIZATION_SCOPES: ScopeSet<'organizationScopeId'> = {
  table: 'organizationRoleScopes',
  column: 'organizationScopeId',
  ids: 'organizationScopeIds',
  target: 'organizationScopes',
  noun: 'organization scope',
  errors: [['entity.relation_foreign_key_not_found', 422]],
};
export const RESOURCE_SCOPES: ScopeSet<'scopeId'> = {
  table: 'organizationRoleResourceScopes',
  column: 'scopeId',
  ids: 'scopeIds',
  target: 'scopes',
  noun: 'API scope',
  errors: [['entity.relation_foreign_key_not_found', 422], 'role.management_api_scopes_not_assignable_to_user_role'],
};

/**
 * Adds scopes to a role. Scopes that it already has are kept.
 *
 * @param member the field of the body that contains the ids
 * @returns true if anything changed
 * @throws 400 `role.management_api_scopes_not_assignable_to_user_role`
 * @throws 422 `entity.relation_foreign_key_not_found`
 */
export async function addRoleScopes(
  store: TenantStore,
  set: ScopeSet,
  organizationRoleId: string,
  scopeIds: string[],
  member: string = set.ids,
): Promise<boolean> {
  if (set.target === 'scopes' && scopeIds.some(isSystemScope))
    throw new ServiceError('role.management_api_scopes_not_assignable_to_user_role');
  await requireExisting(store, set.target, { ids: scopeIds, member, status: 422 });
  const rows = scopeIds.map((id) => ({ organizationRoleId, ...only(set.column, id) }));
  return (await store.addMissing(set.table, rows)).length > 0;
}

type ScopesInput<C extends Column> = Input<{ id: string }, Record<`${C}s`, string[]>> & RunTools;

const CHANGE = {
  event: 'OrganizationRole.Scopes.Updated' as const,
  eventFields: (hasChanged: boolean) => hasChanged && {},
  audit: (_: boolean, { body }: { body: object }) => ({ ...body }),
};

const addition = <C extends Column>(set: ScopeSet<C>) => ({
  summary: `Assign ${set.noun}s to an organization role`,
  role: 'editor' as const,
  description: 'Scopes that the role already has are kept.',
  status: 201,
  body: Type.Object(only(set.ids, Ids())),
  errors: ['entity.not_exists_with_id', ...set.errors] satisfies Errors,
  async run({ params: { id }, body: { [set.ids]: scopeIds }, store }: ScopesInput<C>) {
    await store.get('organizationRoles', { id });
    return addRoleScopes(store, set, id, scopeIds);
  },
  ...CHANGE,
});

const replacement = <C extends Column>(set: ScopeSet<C>) => ({
  summary: `Replace the ${set.noun}s of an organization role`,
  role: 'editor' as const,
  status: 204,
  body: Type.Object(only(set.ids, Ids({ least: 0 }))),
  errors: ['entity.not_exists', ...set.errors] satisfies Errors,
  async run({ params: { id: organizationRoleId }, body: { [set.ids]: scopeIds }, store }: ScopesInput<C>) {
    await store.lock('organizationRoles', { id: organizationRoleId });
    const removed = await store.removeWhere(set.table, (held) =>
      held.where({ organizationRoleId }).whereNotIn(set.column, scopeIds),
    );
    const hasAdded = await addRoleScopes(store, set, organizationRoleId, scopeIds);
    return removed > 0 || hasAdded;
  },
  ...CHANGE,
});

const removal = <C extends Column>(set: ScopeSet<C>) => ({
  summary: `Remove an ${set.noun} from an organization role`,
  role: 'editor' as const,
  status: 204,
  errors: ['entity.not_found'] satisfies Errors,
  run({ params, store }: Input<{ id: string } & Record<C, string>> & RunTools) {
    const { id: organizationRoleId, [set.column]: scopeId } = params;
    return store.remove(set.table, { organizationRoleId, ...only(set.column, scopeId) });
  },
  event: CHANGE.event,
});

export const organizationRoleScopes = [
  operation('GET /organization-roles/:id/scopes', {
    summary: 'List the organization scopes of an organization role',
    role: 'viewer',
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
  operation('POST /organization-roles/:id/scopes', addition(ORGANIZATION_SCOPES)),
  operation('PUT /organization-roles/:id/scopes', replacement(ORGANIZATION_SCOPES)),
  operation('DELETE /organization-roles/:id/scopes/:organizationScopeId', removal(ORGANIZATION_SCOPES)),

  operation('GET /organization-roles/:id/resource-scopes', {
    summary: 'List the API scopes of an organization role',
    role: 'viewer',
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
  operation('POST /organization-roles/:id/resource-scopes', addition(RESOURCE_SCOPES)),
  operation('PUT /organization-roles/:id/resource-scopes', replacement(RESOURCE_SCOPES)),
  operation('DELETE /organization-roles/:id/resource-scopes/:scopeId', removal(RESOURCE_SCOPES)),
];
