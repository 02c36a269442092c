import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { isSystemScope } from '../../tokens/urns.ts';
import { requireExisting } from '../shared/fields.ts';

/** An organization role has two sets of scopes: organization scopes, and scopes of API resources. */
interface ScopeSet {
  /** Typed as one of the two tables, which differ only in the name of one column. */
  table: 'organizationRoleScopes';
  column: 'organizationScopeId';
  /** The table of the scopes themselves. */
  target: 'organizationScopes' | 'scopes';
}

export const ORGANIZATION_SCOPES: ScopeSet = {
  table: 'organizationRoleScopes',
  column: 'organizationScopeId',
  target: 'organizationScopes',
};
export const RESOURCE_SCOPES = {
  table: 'organizationRoleResourceScopes',
  column: 'scopeId',
  target: 'scopes',
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
  { table, column, target }: ScopeSet,
  organizationRoleId: string,
  scopeIds: string[],
  member = `${column}s`,
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

/** Replaces the scopes of a role. @returns true if anything changed */
export async function replaceRoleScopes(
  store: TenantStore,
  set: ScopeSet,
  organizationRoleId: string,
  scopeIds: string[],
): Promise<boolean> {
  const removed = await store.removeWhere(set.table, (held) =>
    held.where({ organizationRoleId }).whereNotIn(set.column, scopeIds),
  );
  const hasAdded = await addRoleScopes(store, set, organizationRoleId, scopeIds);
  return removed > 0 || hasAdded;
}

/** @throws 404 `entity.not_found` */
export const removeRoleScope = (
  store: TenantStore,
  { table, column }: ScopeSet,
  organizationRoleId: string,
  id: string,
): Promise<void> => store.remove(table, { organizationRoleId, [column]: id });
