import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { Row } from '../../database/tables/index.ts';
import { Organization, OrganizationRole } from '../../entities.ts';
import { type Errors, type Input, operation, type RunTools } from '../../http/operations/operation.ts';
import { requireMachineApplications } from '../applications/applications.ts';
import { only, requireExisting } from '../shared/fields.ts';
import { newestFirst } from '../shared/listing.ts';

export type Column = 'userId' | 'applicationId';

/** A kind of member of an organization: users, or machine-to-machine applications. Both work the same way. */
export interface MemberKind<C extends Column = Column> {
  members: 'organizationUsers' | 'organizationApplications';
  roles: 'organizationUserRoles' | 'organizationApplicationRoles';
  /** The name of the column, and of the path parameter. */
  column: C;
  /** The field of a body that contains ids of members. Events begin it with a capital letter. */
  ids: `${C}s`;
  roleType: Row<'organizationRoles'>['type'];
  /** The members in texts: `a user`, `users`. */
  noun: string;
  nouns: string;
  /** The members in the summary of the operation that adds them. */
  added: string;
  /** Throws one of `errors` unless all of them can be members. */
  requireAll(store: TenantStore, ids: string[]): Promise<void>;
  errors: Errors;
}

export const USERS: MemberKind<'userId'> = {
  members: 'organizationUsers',
  roles: 'organizationUserRoles',
  column: 'userId',
  ids: 'userIds',
  roleType: 'User',
  noun: 'a user',
  nouns: 'users',
  added: 'users',
  requireAll: (store, ids) => requireExisting(store, 'users', { ids, member: 'userIds', status: 422 }),
  errors: [['entity.relation_foreign_key_not_found', 422]],
};

export const APPLICATIONS: MemberKind<'applicationId'> = {
  members: 'organizationApplications',
  roles: 'organizationApplicationRoles',
  column: 'applicationId',
  ids: 'applicationIds',
  roleType: 'MachineToMachine',
  noun: 'an application',
  nouns: 'applications',
  added: 'machine-to-machine applications',
  requireAll: (store, ids) => requireMachineApplications(store, ids, 422),
  errors: [['entity.relation_foreign_key_not_found', 422], 'entity.db_constraint_violated'],
};

/** Input of an operation on several members of an organization. */
export type MembersInput<C extends Column, Body = unknown> = Input<{ id: string }, Record<`${C}s`, string[]> & Body> &
  RunTools;
/** Input of an operation on one member. */
export type MemberInput<C extends Column, Body = unknown> = Input<{ id: string } & Record<C, string>, Body> & RunTools;

export const RolesOfMember = { organizationRoles: Type.Array(Type.Pick(OrganizationRole, ['id', 'name'])) };

interface HeldRole {
  memberId: string;
  organizationId: string;
  id: string;
  name: string;
}

/** Returns the organization roles of members, in the order of their names. */
const heldRoles = async (store: TenantStore, { roles, column }: MemberKind, where: Condition): Promise<HeldRole[]> =>
  await store
    .from(roles)
    .join(store.rows('organizationRoles'), 'organizationRoles.id', `${roles}.organizationRoleId`)
    .where(where)
    .orderBy('organizationRoles.name')
    .select({
      memberId: column,
      organizationId: 'organizationId',
      id: 'organizationRoles.id',
      name: 'organizationRoles.name',
    });

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
async function organizationRolesIn(store: TenantStore, kind: MemberKind, memberId: string) {
  const rows = await heldRoles(store, kind, (held) => held.where(only(kind.column, memberId)));
  return Map.groupBy(rows, ({ organizationId }) => organizationId);
}

const OrganizationWithRoles = Type.Object({ ...Organization.properties, ...RolesOfMember });

/** Returns the organizations of a member with its roles in each, with three queries for any number of organizations. */
async function organizationsOf(store: TenantStore, kind: MemberKind, memberId: string, page: Input['page']) {
  const memberships = () => store.from(kind.members).where(only(kind.column, memberId));
  // Joined from the memberships to their organizations. Rejected: the reverse, for which SQLite reads every row of the
  // tenant.
  const joined = store.byIds('organizations', memberships().select('organizationId as id'));
  for (const { column, order } of newestFirst) joined.orderBy(`organizations.${column}`, order);
  if (page) joined.limit(page.limit).offset(page.offset);
  const [rows, [counted], roles] = await Promise.all([
    joined,
    memberships().count({ total: '*' }),
    organizationRolesIn(store, kind, memberId),
  ]);
  return {
    rows: rows.map((organization) => ({ ...organization, organizationRoles: roles.get(organization.id) ?? [] })),
    total: Number((counted as { total: number }).total),
  };
}

export const memberOrganizations = [
  operation('GET /users/:userId/organizations', {
    summary: 'List the organizations of a user with their roles in each',
    role: 'viewer',
    status: 200,
    returns: Type.Array(OrganizationWithRoles),
    paginated: 'optional',
    errors: ['entity.not_found'],
    async run({ params: { userId }, page, store }) {
      await store.get('users', { id: userId });
      return organizationsOf(store, USERS, userId, page);
    },
  }),

  operation('GET /applications/:id/organizations', {
    summary: 'List the organizations of a machine-to-machine application with its roles in each',
    role: 'viewer',
    status: 200,
    returns: Type.Array(OrganizationWithRoles),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, page, store }) {
      await store.get('applications', { id });
      return organizationsOf(store, APPLICATIONS, id, page);
    },
  }),
];
