import Type, { type Static, type TObject } from 'typebox';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Row } from '../../database/tables/index.ts';
import { Application, Role, User } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids, optional } from '../shared/fields.ts';
import { byId, byName, mapped, removal } from '../shared/listing.ts';
import { search, searchQuery } from '../shared/search.ts';
import { assignScopes } from './scopes.ts';

const { name, description, type, isDefault } = Role.properties;

/** Users and applications shown with each role. */
const FEATURED = 3;

const FeaturedUser = Type.Pick(User, ['id', 'name', 'avatar']);
const FeaturedApplication = Type.Pick(Application, ['id', 'name', 'type']);

const RoleWithHolders = Type.Object({
  ...Role.properties,
  usersCount: Type.Integer(),
  featuredUsers: Type.Array(FeaturedUser),
  applicationsCount: Type.Integer(),
  featuredApplications: Type.Array(FeaturedApplication),
});

interface HolderKind<Featured extends TObject = TObject> {
  table: 'userRoles' | 'applicationRoles';
  holder: 'userId' | 'applicationId';
  holders: 'users' | 'applications';
  featured: Featured;
}

const USERS = { table: 'userRoles', holder: 'userId', holders: 'users', featured: FeaturedUser } as const;
const APPLICATIONS = {
  table: 'applicationRoles',
  holder: 'applicationId',
  holders: 'applications',
  featured: FeaturedApplication,
} as const;

async function countsOf(store: TenantStore, { table }: HolderKind, roleIds: string[]): Promise<Map<string, number>> {
  const rows = await store
    .from(table)
    .whereIn('roleId', roleIds)
    .groupBy('roleId')
    .select('roleId')
    .count<{ roleId: string; count: number }[]>({ count: '*' });
  return new Map(rows.map(({ roleId, count }) => [roleId, count]));
}

/** One limited select per role, in a single statement, so that a role with many holders is not read as a whole. */
async function featuredOf<Featured extends TObject>(
  store: TenantStore,
  { table, holder, holders, featured }: HolderKind<Featured>,
  roleIds: string[],
) {
  const columns = Object.keys(featured.properties).map((column) => `${holders}.${column}`);
  const selects = roleIds.map((roleId) => {
    const first = store.from(table).where({ roleId }).orderBy(holder).limit(FEATURED).select('roleId', holder);
    return store
      .from(holders)
      .join(first.as('first'), `first.${holder}`, `${holders}.id`)
      .select('first.roleId', ...columns);
  });
  const [head, ...rest] = selects;
  const rows: ({ roleId: string } & Static<Featured>)[] = head ? await head.unionAll(rest) : [];
  return Map.groupBy(rows, ({ roleId }) => roleId);
}

/** Returns the roles with their holders, with four queries for any number of roles. */
async function withHolders(store: TenantStore, roles: readonly Row<'roles'>[]) {
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

export const roles = [
  operation('GET /roles', {
    summary: 'List roles by name, each with the number of its users and applications and the first of them',
    role: 'viewer',
    status: 200,
    query: searchQuery('roles', {
      type: Type.Enum(type.enum, { type: 'string' }),
      excludeUserId: Type.String(),
      excludeApplicationId: Type.String(),
    }),
    returns: Type.Array(RoleWithHolders),
    paginated: 'always',
    errors: ['request.invalid_input'],
    async run({ query: { type, excludeUserId, excludeApplicationId, ...query }, page, store }) {
      const rows = await search(store, 'roles', query, {
        page,
        order: byName,
        where(roles) {
          if (type !== undefined) roles.where({ type });
          if (excludeUserId !== undefined)
            roles.whereNotIn('id', store.from('userRoles').where({ userId: excludeUserId }).select('roleId'));
          if (excludeApplicationId !== undefined) {
            const held = store.from('applicationRoles').where({ applicationId: excludeApplicationId });
            roles.whereNotIn('id', held.select('roleId'));
          }
        },
      });
      return mapped(rows, (rows) => withHolders(store, rows));
    },
  }),

  operation('POST /roles', {
    summary: 'Create a role, optionally with scopes',
    role: 'editor',
    status: 200,
    body: Type.Object({
      name,
      description,
      type: Type.Optional(type),
      isDefault: Type.Optional(isDefault),
      scopeIds: Type.Optional(Ids({ least: 0 })),
    }),
    example: { name: 'Support', description: 'Helps customers with their orders', scopeIds: [] },
    returns: Role,
    errors: [
      'role.name_in_use',
      'entity.relation_foreign_key_not_found',
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ body: { scopeIds = [], ...fields }, caller, store }) {
      const role = await store.insert('roles', { id: newId(), type: 'User', isDefault: false, ...fields });
      return { ...role, scopes: await assignScopes(store, caller, role, scopeIds) };
    },
    event: 'Role.Created',
    furtherEvents: [
      {
        event: 'Role.Scopes.Updated',
        eventFields: ({ id, scopes }) => scopes.length > 0 && { data: scopes, roleId: id },
      },
    ],
  }),

  operation('GET /roles/:id', byId('roles', 'Get a role', Role)),

  operation('PATCH /roles/:id', {
    summary: 'Update the name, description or default status of a role',
    role: 'editor',
    status: 200,
    body: optional({ name, description, isDefault }),
    returns: Role,
    errors: ['entity.not_exists', 'entity.invalid_input', 'role.name_in_use'],
    run: ({ params, body, store }) => store.update('roles', params, body),
    event: 'Role.Data.Updated',
  }),

  operation('DELETE /roles/:id', {
    ...removal('roles', 'Delete a role and all its assignments'),
    event: 'Role.Deleted',
  }),
];
