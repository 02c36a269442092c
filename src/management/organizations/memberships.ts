import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { Tables } from '../../database/tables/index.ts';
import { OrganizationRole } from '../../entities.ts';

/** A kind of member of an organization: users, or machine-to-machine applications. Both work the same way. */
export interface MemberKind {
  /** The table of memberships. Typed as one of the two tables, which differ only in the name of one column. */
  members: 'organizationUsers';
  roles: 'organizationUserRoles';
  /** The name of the column, and of the path parameter. */
  column: 'userId';
  /** The field of a body that contains ids of members. Events begin it with a capital letter. */
  ids: 'userIds';
  roleType: Tables['organizationRoles']['type'];
  /** The members in texts: `a user`, `users`. */
  noun: string;
  nouns: string;
}

export const USERS: MemberKind = {
  members: 'organizationUsers',
  roles: 'organizationUserRoles',
  column: 'userId',
  ids: 'userIds',
  roleType: 'User',
  noun: 'a user',
  nouns: 'users',
};

export const APPLICATIONS = {
  members: 'organizationApplications',
  roles: 'organizationApplicationRoles',
  column: 'applicationId',
  ids: 'applicationIds',
  roleType: 'MachineToMachine',
  noun: 'an application',
  nouns: 'applications',
} as unknown as MemberKind;

/** Returns the id of the member that a path names. */
export const memberIdOf = ({ column }: MemberKind, params: object) => (params as { userId: string })[column];

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
