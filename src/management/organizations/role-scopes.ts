import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { OrganizationScope } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { type Operation, operation } from '../../http/operations/operation.ts';
import { isSystemScope } from '../../tokens/urns.ts';
import { ScopeWithResource, withResources } from '../roles/scopes.ts';
import { Ids, requireExisting } from '../shared/fields.ts';
import { byName, list, mapped } from '../shared/listing.ts';

/** An organization role has two sets of scopes: organization scopes, and scopes of API resources. */
interface ScopeSet {
  /** Typed as one of the two tables, which differ only in the name of one column. */
  table: 'organizationRoleScopes';
  column: 'organizationScopeId';
  /** The field of a body that contains ids of scopes. */
  ids: 'organizationScopeIds';
  /** The table of the scopes themselves. */
  target: 'organizationScopes' | 'scopes';
  noun: string;
  errors: NonNullable<Operation['errors']>;
}

export const ORGANIZATION_SCOPES: ScopeSet = {
  table: 'organizationRoleScopes',
  column: 'organizationScopeId',
  ids: 'organizationScopeIds',
  target: 'organizationScopes',
  noun: 'organization scope',
  errors: [['entity.relation_foreign_key_not_found', 422]],
};
export const RESOURCE_SCOPES = {
  table: 'organizationRoleResourceScopes',
  column: 'scopeId',
  ids: 'scopeIds',
  target: 'scopes',
  noun: 'API scope',
  errors: [['entity.relation_foreign_key_not_found', 422], 'role.management_api_scopes_not_assignable_to_user_role'],
} as unknown as ScopeSet;

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
  { table, column, target, ids }: ScopeSet,
  organizationRoleId: string,
  scopeIds: string[],
  member: string = ids,
): Promise<boolean> {
  if (table !== ORGANIZATION_SCOPES.table && scopeIds.some(isSystemScope))
    throw new ServiceError('role.management_api_scopes_not_assignable_to_user_role');
  await requireExisting(store, target, { ids: scopeIds, member, status: 422 });
  const added = await store.addMissing(
    table,
    scopeIds.map((id) => ({ organizationRoleId, [column]: id })),
  );
  return added.length > 0;
}

const addition = (route: `POST /organization-roles/:id/${string}`, set: ScopeSet) =>
  operation(route, {
    summary: `Assign ${set.noun}s to an organization role`,
    description: 'Scopes that the role already has are kept.',
    status: 201,
    body: Type.Object({ [set.ids]: Ids() }),
    errors: ['entity.not_exists_with_id', ...set.errors],
    async run({ params: { id }, body: { [set.ids]: scopeIds }, store }) {
      await store.get('organizationRoles', { id });
      return addRoleScopes(store, set, id, scopeIds);
    },
    event: 'OrganizationRole.Scopes.Updated',
    eventFields: (hasChanged) => hasChanged && {},
    audit: (_, { body }) => ({ ...body }),
  });

const replacement = (route: `PUT /organization-roles/:id/${string}`, set: ScopeSet) =>
  operation(route, {
    summary: `Replace the ${set.noun}s of an organization role`,
    status: 204,
    body: Type.Object({ [set.ids]: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', ...set.errors],
    async run({ params: { id: organizationRoleId }, body: { [set.ids]: scopeIds }, store }) {
      await store.lock('organizationRoles', { id: organizationRoleId });
      const removed = await store.removeWhere(set.table, (held) =>
        held.where({ organizationRoleId }).whereNotIn(set.column, scopeIds),
      );
      const hasAdded = await addRoleScopes(store, set, organizationRoleId, scopeIds);
      return removed > 0 || hasAdded;
    },
    event: 'OrganizationRole.Scopes.Updated',
    eventFields: (hasChanged) => hasChanged && {},
    audit: (_, { body }) => ({ ...body }),
  });

const removal = (route: `DELETE /organization-roles/:id/${string}`, { table, column, noun }: ScopeSet) =>
  operation(route, {
    summary: `Remove an ${noun} from an organization role`,
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, ...params }, store }) =>
      store.remove(table, { organizationRoleId: id, [column]: (params as Record<string, string>)[column] }),
    event: 'OrganizationRole.Scopes.Updated',
  });

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
  addition('POST /organization-roles/:id/scopes', ORGANIZATION_SCOPES),
  replacement('PUT /organization-roles/:id/scopes', ORGANIZATION_SCOPES),
  removal('DELETE /organization-roles/:id/scopes/:organizationScopeId', ORGANIZATION_SCOPES),
];

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
  addition('POST /organization-roles/:id/resource-scopes', RESOURCE_SCOPES),
  replacement('PUT /organization-roles/:id/resource-scopes', RESOURCE_SCOPES),
  removal('DELETE /organization-roles/:id/resource-scopes/:scopeId', RESOURCE_SCOPES),
];
