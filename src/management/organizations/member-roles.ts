import Type, { type Static } from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { EACH_ONCE, OrganizationRole, OrganizationScope } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { type Errors, operation } from '../../http/operations/operation.ts';
import { Ids, only, optional } from '../shared/fields.ts';
import { byName, list } from '../shared/listing.ts';
import {
  APPLICATIONS,
  type Column,
  type MemberInput,
  type MemberKind,
  type MembersInput,
  USERS,
} from './memberships.ts';

const roleIdsOf = (store: TenantStore, kind: MemberKind, organizationId: string, id: string) =>
  store
    .from(kind.roles)
    .where({ organizationId, ...only(kind.column, id) })
    .select('organizationRoleId');

/** Organization roles in a body: by id, and for users also by name. */
const RoleIds = Type.Object({ organizationRoleIds: Ids({ least: 0 }) });
const RoleIdsOrNames = optional({
  ...RoleIds.properties,
  organizationRoleNames: Type.Array(OrganizationRole.properties.name, { maxItems: 100, [EACH_ONCE]: true }),
});
type RolesBody = typeof RoleIds | typeof RoleIdsOrNames;
type Roles = Static<typeof RoleIdsOrNames>;

/**
 * Returns the ids of the roles that the body names.
 *
 * @throws 422 `entity.relation_foreign_key_not_found` for an unknown name
 */
async function roleIdsIn(store: TenantStore, body: Roles): Promise<string[]> {
  const { organizationRoleIds = [], organizationRoleNames: names = [] } = body;
  if (names.length === 0) return organizationRoleIds;
  const named = await store.from('organizationRoles').whereIn('name', names).select('id');
  if (named.length < names.length) throw foreignKeyNotFound('organizationRoleNames', 422);
  return [...new Set([...organizationRoleIds, ...named.map(({ id }) => id)])];
}

/** @throws 422 `organization.require_membership` unless all of them are members */
async function requireMembers(
  store: TenantStore,
  { members, column }: MemberKind,
  organizationId: string,
  ids: string[],
): Promise<void> {
  const found = await store.from(members).where({ organizationId }).whereIn(column, ids).select(column);
  if (found.length < ids.length) throw new ServiceError('organization.require_membership');
}

/** @throws 422 `entity.relation_foreign_key_not_found`, `entity.db_constraint_violated` for roles of the other type */
async function requireRolesFor(store: TenantStore, { roleType }: MemberKind, roleIds: string[]): Promise<void> {
  const roles = await store.from('organizationRoles').whereIn('id', roleIds).select('type');
  if (roles.length < roleIds.length) throw foreignKeyNotFound('organizationRoleIds', 422);
  if (roles.some(({ type }) => type !== roleType)) throw new ServiceError('entity.db_constraint_violated');
}

/** Assigns each of these roles to each of these members. Roles that they already have are kept. */
async function addMemberRoles(
  store: TenantStore,
  kind: MemberKind,
  { organizationId, ids, roleIds }: { organizationId: string; ids: string[]; roleIds: string[] },
): Promise<void> {
  await requireMembers(store, kind, organizationId, ids);
  await requireRolesFor(store, kind, roleIds);
  const rows = ids.flatMap((id) =>
    roleIds.map((organizationRoleId) => ({ organizationId, ...only(kind.column, id), organizationRoleId })),
  );
  await store.addMissing(kind.roles, rows);
}

const ASSIGNMENT_ERRORS: Errors = [
  'organization.require_membership',
  ['entity.relation_foreign_key_not_found', 422],
  'entity.db_constraint_violated',
];

const bulkAssignment = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `Assign organization roles to ${kind.nouns} of an organization`,
  role: 'editor' as const,
  status: 201,
  body: Type.Object({ ...only(kind.ids, Ids({ most: 100 })), organizationRoleIds: Ids({ least: 0, most: 100 }) }),
  errors: ASSIGNMENT_ERRORS,
  run: ({ params: { id }, body, store }: MembersInput<C, { organizationRoleIds: string[] }>) =>
    addMemberRoles(store, kind, { organizationId: id, ids: body[kind.ids], roleIds: body.organizationRoleIds }),
  audit: (_: unknown, { body }: { body: object }) => ({ ...body }),
});

const roleList = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `List the roles of ${kind.noun} in an organization`,
  role: 'viewer' as const,
  status: 200,
  returns: Type.Array(OrganizationRole),
  paginated: 'optional' as const,
  errors: ['organization.require_membership'] satisfies Errors,
  async run({ params, page, store }: MemberInput<C>) {
    const memberId = params[kind.column];
    await requireMembers(store, kind, params.id, [memberId]);
    const held = roleIdsOf(store, kind, params.id, memberId);
    return list(store, 'organizationRoles', { page, order: byName, where: (roles) => roles.whereIn('id', held) });
  },
});

const assignment = <C extends Column, Body extends RolesBody>(kind: MemberKind<C>, body: Body) => ({
  summary: `Assign organization roles to ${kind.noun} of an organization`,
  role: 'editor' as const,
  description: `Roles that the ${kind.noun.split(' ')[1]} already has are kept.`,
  status: 201,
  body,
  returns: Type.Object({ organizationRoleIds: Type.Array(Type.String()) }),
  errors: ASSIGNMENT_ERRORS,
  async run({ params, body, store }: MemberInput<C, Roles>) {
    const roleIds = await roleIdsIn(store, body);
    await addMemberRoles(store, kind, { organizationId: params.id, ids: [params[kind.column]], roleIds });
    return { organizationRoleIds: roleIds };
  },
  audit: (assigned: Roles) => ({ ...assigned }),
});

const replacement = <C extends Column, Body extends RolesBody>(kind: MemberKind<C>, body: Body) => ({
  summary: `Replace the roles of ${kind.noun} in an organization`,
  role: 'editor' as const,
  status: 204,
  body,
  errors: [
    'entity.not_exists',
    ...(body === RoleIds ? [] : (['entity.invalid_input'] as const)),
    ...ASSIGNMENT_ERRORS,
  ] satisfies Errors,
  async run({ params, body, store }: MemberInput<C, Roles>) {
    if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
    const roleIds = await roleIdsIn(store, body);
    const { id: organizationId, [kind.column]: id } = params;
    await store.lock('organizations', { id: organizationId });
    await addMemberRoles(store, kind, { organizationId, ids: [id], roleIds });
    await store.removeWhere(kind.roles, (held) =>
      held.where({ organizationId, ...only(kind.column, id) }).whereNotIn('organizationRoleId', roleIds),
    );
    return { organizationRoleIds: roleIds };
  },
  audit: (assigned: Roles) => ({ ...assigned }),
});

const removal = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `Remove an organization role from ${kind.noun} of an organization`,
  role: 'editor' as const,
  status: 204,
  errors: ['entity.not_found'] satisfies Errors,
  run: ({ params, store }: MemberInput<C> & { params: { organizationRoleId: string } }) => {
    const { id: organizationId, organizationRoleId } = params;
    const member = only<Column, string>(kind.column, params[kind.column]);
    return store.remove(kind.roles, { organizationId, ...member, organizationRoleId });
  },
});

const scopeList = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `List the scopes of ${kind.noun} in an organization`,
  role: 'viewer' as const,
  status: 200,
  returns: Type.Array(OrganizationScope),
  errors: ['organization.require_membership'] satisfies Errors,
  async run({ params, store }: MemberInput<C>) {
    const memberId = params[kind.column];
    await requireMembers(store, kind, params.id, [memberId]);
    const held = store
      .from('organizationRoleScopes')
      .whereIn('organizationRoleId', roleIdsOf(store, kind, params.id, memberId))
      .select('organizationScopeId');
    return store.from('organizationScopes').whereIn('id', held).orderBy(byName).select('*');
  },
});

export const organizationUserRoles = [
  operation('POST /organizations/:id/users/roles', bulkAssignment(USERS)),
  operation('GET /organizations/:id/users/:userId/roles', roleList(USERS)),
  operation('POST /organizations/:id/users/:userId/roles', assignment(USERS, RoleIdsOrNames)),
  operation('PUT /organizations/:id/users/:userId/roles', replacement(USERS, RoleIdsOrNames)),
  operation('DELETE /organizations/:id/users/:userId/roles/:organizationRoleId', removal(USERS)),
  operation('GET /organizations/:id/users/:userId/scopes', scopeList(USERS)),
];

export const organizationApplicationRoles = [
  operation('POST /organizations/:id/applications/roles', bulkAssignment(APPLICATIONS)),
  operation('GET /organizations/:id/applications/:applicationId/roles', roleList(APPLICATIONS)),
  operation('POST /organizations/:id/applications/:applicationId/roles', assignment(APPLICATIONS, RoleIds)),
  operation('PUT /organizations/:id/applications/:applicationId/roles', replacement(APPLICATIONS, RoleIds)),
  operation('DELETE /organizations/:id/applications/:applicationId/roles/:organizationRoleId', removal(APPLICATIONS)),
  operation('GET /organizations/:id/applications/:applicationId/scopes', scopeList(APPLICATIONS)),
];
