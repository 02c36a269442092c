import Type, { type Static } from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { OrganizationRoleRow, OrganizationScopeRow } from '../../database/tables/index.ts';
import { EACH_ONCE, OrganizationRole } from '../../entities.ts';
import { foreignKeyNotFound } from '../../errors.ts';
import type { Listed, PageRequest } from '../../http/operations/operation.ts';
import { Ids, optional } from './fields.ts';
import { byName, list } from './listing.ts';
import { type MemberKind, requireMembers, requireRolesFor } from './memberships.ts';

/** A member of an organization. */
export interface Member {
  kind: MemberKind;
  organizationId: string;
  id: string;
}

const roleIdsOf = (store: TenantStore, { kind, organizationId, id }: Member) =>
  store
    .from(kind.roles)
    .where({ organizationId, [kind.column]: id })
    .select('organizationRoleId');

/** @throws 422 `organization.require_membership` */
export async function listMemberRoles(
  store: TenantStore,
  member: Member,
  page: PageRequest | undefined,
): Promise<Listed<OrganizationRoleRow>> {
  await requireMembers(store, member.kind, member.organizationId, [member.id]);
  const held = roleIdsOf(store, member);
  return list(store, 'organizationRoles', { page, order: byName, where: (roles) => roles.whereIn('id', held) });
}

/** Organization roles in a body: by id, by name, or both. */
export const MemberRoles = optional({
  organizationRoleIds: Ids({ least: 0 }),
  organizationRoleNames: Type.Array(OrganizationRole.properties.name, { maxItems: 100, [EACH_ONCE]: true }),
});

/**
 * Returns the ids of the roles that the body names.
 *
 * @throws 422 `entity.relation_foreign_key_not_found` for an unknown name
 */
export async function roleIdsIn(store: TenantStore, body: Static<typeof MemberRoles>): Promise<string[]> {
  const { organizationRoleIds = [], organizationRoleNames: names = [] } = body;
  const named = await store.from('organizationRoles').whereIn('name', names).select('id');
  if (named.length < names.length) throw foreignKeyNotFound('organizationRoleNames', 422);
  return [...new Set([...organizationRoleIds, ...named.map(({ id }) => id)])];
}

/** Assigns each of these roles to each of these members. Roles that they already have are kept. */
export async function addMemberRoles(
  store: TenantStore,
  { kind, organizationId, ids }: Omit<Member, 'id'> & { ids: string[] },
  roleIds: string[],
): Promise<void> {
  await requireMembers(store, kind, organizationId, ids);
  await requireRolesFor(store, kind, roleIds);
  const rows = ids.flatMap((id) =>
    roleIds.map((organizationRoleId) => ({ organizationId, [kind.column]: id, organizationRoleId })),
  );
  await store.addMissing(kind.roles, rows);
}

export async function replaceMemberRoles(store: TenantStore, member: Member, roleIds: string[]): Promise<void> {
  const { kind, organizationId, id } = member;
  await store.lock('organizations', { id: organizationId });
  await requireMembers(store, kind, organizationId, [id]);
  await store.removeWhere(kind.roles, (held) =>
    held.where({ organizationId, [kind.column]: id }).whereNotIn('organizationRoleId', roleIds),
  );
  await addMemberRoles(store, { kind, organizationId, ids: [id] }, roleIds);
}

/** @throws 404 `entity.not_found` */
export const removeMemberRole = (
  store: TenantStore,
  { kind, organizationId, id }: Member,
  roleId: string,
): Promise<void> => store.remove(kind.roles, { organizationId, [kind.column]: id, organizationRoleId: roleId });

/** Returns the organization scopes that a member has through its roles. */
export async function listMemberScopes(store: TenantStore, member: Member): Promise<OrganizationScopeRow[]> {
  await requireMembers(store, member.kind, member.organizationId, [member.id]);
  const held = store
    .from('organizationRoleScopes')
    .whereIn('organizationRoleId', roleIdsOf(store, member))
    .select('organizationScopeId');
  return store.from('organizationScopes').whereIn('id', held).orderBy(byName).select('*');
}
