import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { RoleRow } from '../../database/tables/index.ts';
import { Application, Role, User } from '../../entities.ts';

/** Users and applications shown with each role. */
const FEATURED = 3;

const FeaturedUser = Type.Pick(User, ['id', 'name', 'avatar']);
const FeaturedApplication = Type.Pick(Application, ['id', 'name', 'type']);

export const RoleWithHolders = Type.Object({
  ...Role.properties,
  usersCount: Type.Integer(),
  featuredUsers: Type.Array(FeaturedUser),
  applicationsCount: Type.Integer(),
  featuredApplications: Type.Array(FeaturedApplication),
});

interface HolderKind {
  table: 'userRoles' | 'applicationRoles';
  holder: 'userId' | 'applicationId';
  holders: 'users' | 'applications';
  columns: string[];
}

const USERS: HolderKind = { table: 'userRoles', holder: 'userId', holders: 'users', columns: ['id', 'name', 'avatar'] };
const APPLICATIONS: HolderKind = {
  table: 'applicationRoles',
  holder: 'applicationId',
  holders: 'applications',
  columns: ['id', 'name', 'type'],
};

async function countsOf(store: TenantStore, { table }: HolderKind, roleIds: string[]): Promise<Map<string, number>> {
  const rows = (await store
    .from(table)
    .whereIn('roleId', roleIds)
    .groupBy('roleId')
    .select('roleId')
    .count({ count: '*' })) as unknown as { roleId: string; count: number }[];
  return new Map(rows.map(({ roleId, count }) => [roleId, count]));
}

/** One limited select per role, in a single statement, so that a role with many holders is not read as a whole. */
async function featuredOf(store: TenantStore, kind: HolderKind, roleIds: string[]) {
  const { table, holder, holders, columns } = kind;
  const selects = roleIds.map((roleId) => {
    const first = store.from(table).where({ roleId }).orderBy(holder).limit(FEATURED).select('roleId', holder);
    return store
      .from(holders)
      .join(first.as('first'), `first.${holder}`, `${holders}.id`)
      .select('first.roleId', ...columns.map((column) => `${holders}.${column}`));
  });
  const [head, ...rest] = selects;
  if (!head) return new Map<string, { roleId: string }[]>();
  const rows = (await head.unionAll(rest)) as unknown as { roleId: string }[];
  return Map.groupBy(rows, ({ roleId }) => roleId);
}

/** Returns the roles with their holders, with four queries for any number of roles. */
export async function withHolders(store: TenantStore, roles: readonly RoleRow[]) {
  const ids = roles.map(({ id }) => id);
  const [usersCount, featuredUsers, applicationsCount, featuredApplications] = await Promise.all([
    countsOf(store, USERS, ids),
    featuredOf(store, USERS, ids),
    countsOf(store, APPLICATIONS, ids),
    featuredOf(store, APPLICATIONS, ids),
  ]);
  return roles.map((role) => ({
    ...role,
    usersCount: usersCount.get(role.id) ?? 0,
    featuredUsers: featuredUsers.get(role.id) ?? [],
    applicationsCount: applicationsCount.get(role.id) ?? 0,
    featuredApplications: featuredApplications.get(role.id) ?? [],
  }));
}
