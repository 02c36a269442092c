import { type BatchedRead, type DatabaseKind, textsFor } from '../database/statements/batched-read.ts';
import { jsonOn } from '../database/statements/json.ts';
import type { UserRow } from '../database/tables/index.ts';
import type { Json } from '../database/tables/table.ts';

/** A user with everything that `context.user` of a script contains. */
export interface UserContextRow {
  user: UserRow;
  roles: {
    id: string;
    name: string;
    description: string;
    scopes: { id: string; name: string; description: string; resourceId: string; resource: Json }[];
  }[];
  organizations: { id: string; name: string; description: string }[];
  organizationRoles: { organizationId: string; roleId: string; roleName: string }[];
  linkedIdentities: { target: string; externalId: string; details: Json; isSso: boolean }[];
  factors: { id: string; type: string; createdAt: number; lastUsedAt: number | null }[];
}

/** Returns the select list. Every join includes the tenant of the row it starts from. */
function columnsOn(kind: DatabaseKind): string {
  const { objectOf, json, boolean, list } = jsonOn(kind);
  const listOf = (members: Record<string, string>, from: string) => `(select ${list(objectOf(members))} from ${from})`;
  const described = (table: string) => ({
    id: `${table}.id`,
    name: `${table}.name`,
    description: `${table}.description`,
  });
  const ofUser = (table: string) => `where ${table}.tenant_id = subject.tenant_id and ${table}.user_id = subject.id`;
  const joined = (table: string, id: string, from: string) =>
    `join ${table} on ${table}.tenant_id = ${from}.tenant_id and ${table}.id = ${from}.${id}`;

  const scopes = listOf(
    {
      ...described('scopes'),
      resourceId: 'resources.id',
      resource: objectOf({ id: 'resources.id', name: 'resources.name', indicator: 'resources.indicator' }),
    },
    `role_scopes ${joined('scopes', 'scope_id', 'role_scopes')} ${joined('resources', 'resource_id', 'scopes')}
      where role_scopes.tenant_id = roles.tenant_id and role_scopes.role_id = roles.id`,
  );
  const lists = {
    roles: listOf(
      { ...described('roles'), scopes: json(scopes) },
      `user_roles ${joined('roles', 'role_id', 'user_roles')} ${ofUser('user_roles')}`,
    ),
    organizations: listOf(
      described('organizations'),
      `organization_users ${joined('organizations', 'organization_id', 'organization_users')}
        ${ofUser('organization_users')}`,
    ),
    organization_roles: listOf(
      {
        organizationId: 'organization_user_roles.organization_id',
        roleId: 'organization_roles.id',
        roleName: 'organization_roles.name',
      },
      `organization_user_roles ${joined('organization_roles', 'organization_role_id', 'organization_user_roles')}
        ${ofUser('organization_user_roles')}`,
    ),
    linked_identities: listOf(
      { target: 'target', externalId: 'external_id', details: json('details'), isSso: boolean('is_sso') },
      `user_identities ${ofUser('user_identities')}`,
    ),
    factors: listOf(
      { id: 'id', type: 'type', createdAt: 'created_at', lastUsedAt: 'last_used_at' },
      `user_factors ${ofUser('user_factors')}`,
    ),
  };
  return ['subject.*', ...Object.entries(lists).map(([name, value]) => `${value} as ${name}`)].join(', ');
}

/** The lists are JSON, which SQLite returns as text. */
type Found = UserRow & { [List in Exclude<keyof UserContextRow, 'user'>]: UserContextRow[List] | string };

const parsed = <List>(value: List | string): List => (typeof value === 'string' ? JSON.parse(value) : value);

export const userContextById: BatchedRead<UserContextRow> = {
  texts: textsFor({ tenant_id: '', id: '' }, (kind, valueFor) => ({
    columns: columnsOn(kind),
    from: `users subject where subject.tenant_id = ${valueFor('tenant_id')} and subject.id = ${valueFor('id')}`,
  })),
  rowOf: ({ roles, organizations, organizationRoles, linkedIdentities, factors, ...user }: Found) => ({
    user,
    roles: parsed(roles),
    organizations: parsed(organizations),
    organizationRoles: parsed(organizationRoles),
    linkedIdentities: parsed(linkedIdentities),
    factors: parsed(factors),
  }),
};
