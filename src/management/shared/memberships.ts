import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { Tables } from '../../database/tables/index.ts';
import { OrganizationRole } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';

/** A kind of member of an organization: users, or machine-to-machine applications. Both work the same way. */
export interface MemberKind {
  /** The table of memberships. Typed as one of the two tables, which differ only in the name of one column. */
  members: 'organizationUsers';
  roles: 'organizationUserRoles';
  column: 'userId';
  roleType: Tables['organizationRoles']['type'];
  /** The name of the members in events. */
  plural: 'UserIds' | 'ApplicationIds';
}

export const USERS: MemberKind = {
  members: 'organizationUsers',
  roles: 'organizationUserRoles',
  column: 'userId',
  roleType: 'User',
  plural: 'UserIds',
};

export const APPLICATIONS = {
  members: 'organizationApplications',
  roles: 'organizationApplicationRoles',
  column: 'applicationId',
  roleType: 'MachineToMachine',
  plural: 'ApplicationIds',
} as unknown as MemberKind;

/** The members that a call added and removed. Without any, no event is emitted. */
export interface MembershipChange {
  added: string[];
  removed: string[];
}

/** Adds members. Existing members are kept. @throws 422 `entity.relation_foreign_key_not_found` */
export async function addMembers(
  store: TenantStore,
  { members, column }: MemberKind,
  organizationId: string,
  ids: string[],
): Promise<MembershipChange> {
  const added = await store.addMissing(
    members,
    ids.map((id) => ({ organizationId, [column]: id })),
  );
  return { added: added.map((row) => row[column]), removed: [] };
}

export async function replaceMembers(
  store: TenantStore,
  kind: MemberKind,
  organizationId: string,
  ids: string[],
): Promise<MembershipChange> {
  const { members, column } = kind;
  const present = await store.from(members).where({ organizationId }).select(column);
  const wanted = new Set(ids);
  const removed = present.map((row) => row[column]).filter((id) => !wanted.has(id));
  await store.removeWhere(members, (member) => member.where({ organizationId }).whereNotIn(column, ids));
  const { added } = await addMembers(store, kind, organizationId, ids);
  return { added, removed };
}

/** @throws 404 `entity.not_found` */
export async function removeMember(
  store: TenantStore,
  { members, column }: MemberKind,
  organizationId: string,
  id: string,
): Promise<MembershipChange> {
  await store.remove(members, { organizationId, [column]: id });
  return { added: [], removed: [id] };
}

/** Returns the fields of `Organization.Membership.Updated` besides those of the request. */
export function membershipEventFields({ plural }: MemberKind) {
  return ({ added, removed }: MembershipChange, { params }: { params: { id: string } }) =>
    (added.length > 0 || removed.length > 0) && {
      organizationId: params.id,
      ...(added.length > 0 && { [`added${plural}`]: added }),
      ...(removed.length > 0 && { [`removed${plural}`]: removed }),
    };
}

export const RolesOfMember = { organizationRoles: Type.Array(Type.Pick(OrganizationRole, ['id', 'name'])) };

interface HeldRole {
  memberId: string;
  organizationId: string;
  id: string;
  name: string;
}

/** Returns the organization roles of members, in the order of their names. */
const heldRoles = (store: TenantStore, { roles, column }: MemberKind, where: Condition): Promise<HeldRole[]> =>
  store
    .from(roles)
    .join(store.rows('organizationRoles'), 'organizationRoles.id', `${roles}.organizationRoleId`)
    .where(where)
    .orderBy('organizationRoles.name')
    .select({
      memberId: column,
      organizationId: 'organizationId',
      id: 'organizationRoles.id',
      name: 'organizationRoles.name',
    }) as unknown as Promise<HeldRole[]>;

/** Returns the members with their `organizationRoles`, which one query reads for all. */
export async function withOrganizationRoles<T extends { id: string }>(
  store: TenantStore,
  kind: MemberKind,
  organizationId: string,
  members: T[],
) {
  const ids = members.map(({ id }) => id);
  const rows = await heldRoles(store, kind, (held) => held.where({ organizationId }).whereIn(kind.column, ids));
  const byMember = Map.groupBy(rows, ({ memberId }) => memberId);
  return members.map((member) => ({ ...member, organizationRoles: byMember.get(member.id) ?? [] }));
}

/** Returns the roles of one member by organization. */
export async function organizationRolesIn(store: TenantStore, kind: MemberKind, memberId: string) {
  const rows = await heldRoles(store, kind, (held) => held.where({ [kind.column]: memberId }));
  return Map.groupBy(rows, ({ organizationId }) => organizationId);
}

/** @throws 422 `organization.require_membership` unless all of them are members */
export async function requireMembers(
  store: TenantStore,
  { members, column }: MemberKind,
  organizationId: string,
  ids: string[],
): Promise<void> {
  const found = await store.from(members).where({ organizationId }).whereIn(column, ids).select(column);
  if (found.length < ids.length) throw new ServiceError('organization.require_membership');
}

/** @throws 422 `entity.relation_foreign_key_not_found`, `entity.db_constraint_violated` for roles of the other type */
export async function requireRolesFor(store: TenantStore, { roleType }: MemberKind, roleIds: string[]): Promise<void> {
  const roles = await store.from('organizationRoles').whereIn('id', roleIds).select('type');
  if (roles.length < roleIds.length) throw foreignKeyNotFound('organizationRoleIds', 422);
  if (roles.some(({ type }) => type !== roleType)) throw new ServiceError('entity.db_constraint_violated');
}
