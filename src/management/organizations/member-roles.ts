import Type, { type Static, type TObject } from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { EACH_ONCE, OrganizationRole, OrganizationScope } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { type Operation, operation } from '../../http/operations/operation.ts';
import { Ids, optional } from '../shared/fields.ts';
import { byName, list } from '../shared/listing.ts';
import { APPLICATIONS, type MemberKind, memberIdOf, USERS } from './memberships.ts';

/** A member of an organization. */
interface Member {
  kind: MemberKind;
  organizationId: string;
  id: string;
}

const memberOf = (kind: MemberKind, params: { id: string }): Member => ({
  kind,
  organizationId: params.id,
  id: memberIdOf(kind, params),
});

const roleIdsOf = (store: TenantStore, { kind, organizationId, id }: Member) =>
  store
    .from(kind.roles)
    .where({ organizationId, [kind.column]: id })
    .select('organizationRoleId');

/** Organization roles in a body: by id, and for users also by name. */
const RoleIds = Type.Object({ organizationRoleIds: Ids({ least: 0 }) });
const RoleIdsOrNames = optional({
  ...RoleIds.properties,
  organizationRoleNames: Type.Array(OrganizationRole.properties.name, { maxItems: 100, [EACH_ONCE]: true }),
});

/**
 * Returns the ids of the roles that the body names.
 *
 * @throws 422 `entity.relation_foreign_key_not_found` for an unknown name
 */
async function roleIdsIn(store: TenantStore, body: Static<typeof RoleIdsOrNames>): Promise<string[]> {
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

const ASSIGNMENT_ERRORS: NonNullable<Operation['errors']> = [
  'organization.require_membership',
  ['entity.relation_foreign_key_not_found', 422],
  'entity.db_constraint_violated',
];

const bulkAssignment = (route: `POST /organizations/:id/${string}`, kind: MemberKind) =>
  operation(route, {
    summary: `Assign organization roles to ${kind.nouns} of an organization`,
    status: 201,
    body: Type.Object({ [kind.ids]: Ids({ most: 100 }), organizationRoleIds: Ids({ least: 0, most: 100 }) }),
    errors: ASSIGNMENT_ERRORS,
    run: ({ params: { id }, body: { [kind.ids]: ids, organizationRoleIds }, store }) =>
      addMemberRoles(store, { kind, organizationId: id, ids }, organizationRoleIds),
    audit: (_, { body }) => ({ ...body }),
  });

const roleList = (route: `GET /organizations/:id/${string}`, kind: MemberKind) =>
  operation(route, {
    summary: `List the roles of ${kind.noun} in an organization`,
    status: 200,
    returns: Type.Array(OrganizationRole),
    paginated: 'optional',
    errors: ['organization.require_membership'],
    async run({ params, page, store }) {
      const member = memberOf(kind, params);
      await requireMembers(store, kind, params.id, [member.id]);
      const held = roleIdsOf(store, member);
      return list(store, 'organizationRoles', { page, order: byName, where: (roles) => roles.whereIn('id', held) });
    },
  });

const assignment = (route: `POST /organizations/:id/${string}`, kind: MemberKind, body: TObject) =>
  operation(route, {
    summary: `Assign organization roles to ${kind.noun} of an organization`,
    description: `Roles that the ${kind.noun.split(' ')[1]} already has are kept.`,
    status: 201,
    body: body as typeof RoleIdsOrNames,
    returns: Type.Object({ organizationRoleIds: Type.Array(Type.String()) }),
    errors: ASSIGNMENT_ERRORS,
    async run({ params, body, store }) {
      const organizationRoleIds = await roleIdsIn(store, body);
      const ids = [memberIdOf(kind, params)];
      await addMemberRoles(store, { kind, organizationId: params.id, ids }, organizationRoleIds);
      return { organizationRoleIds };
    },
    audit: ({ organizationRoleIds }) => ({ organizationRoleIds }),
  });

const replacement = (route: `PUT /organizations/:id/${string}`, kind: MemberKind, body: TObject) =>
  operation(route, {
    summary: `Replace the roles of ${kind.noun} in an organization`,
    status: 204,
    body: body as typeof RoleIdsOrNames,
    errors: [
      'entity.not_exists',
      ...(body === RoleIds ? [] : (['entity.invalid_input'] as const)),
      ...ASSIGNMENT_ERRORS,
    ],
    async run({ params, body, store }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      const organizationRoleIds = await roleIdsIn(store, body);
      const { organizationId, id } = memberOf(kind, params);
      await store.lock('organizations', { id: organizationId });
      await requireMembers(store, kind, organizationId, [id]);
      await store.removeWhere(kind.roles, (held) =>
        held.where({ organizationId, [kind.column]: id }).whereNotIn('organizationRoleId', organizationRoleIds),
      );
      await addMemberRoles(store, { kind, organizationId, ids: [id] }, organizationRoleIds);
      return { organizationRoleIds };
    },
    audit: ({ organizationRoleIds }) => ({ organizationRoleIds }),
  });

const removal = (route: `DELETE /organizations/:id/${string}/:organizationRoleId`, kind: MemberKind) =>
  operation(route, {
    summary: `Remove an organization role from ${kind.noun} of an organization`,
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id: organizationId, organizationRoleId, ...params }, store }) =>
      store.remove(kind.roles, { organizationId, [kind.column]: memberIdOf(kind, params), organizationRoleId }),
  });

const scopeList = (route: `GET /organizations/:id/${string}`, kind: MemberKind) =>
  operation(route, {
    summary: `List the scopes of ${kind.noun} in an organization`,
    status: 200,
    returns: Type.Array(OrganizationScope),
    errors: ['organization.require_membership'],
    async run({ params, store }) {
      const member = memberOf(kind, params);
      await requireMembers(store, kind, params.id, [member.id]);
      const held = store
        .from('organizationRoleScopes')
        .whereIn('organizationRoleId', roleIdsOf(store, member))
        .select('organizationScopeId');
      return store.from('organizationScopes').whereIn('id', held).orderBy(byName).select('*');
    },
  });

export const organizationUserRoles = [
  bulkAssignment('POST /organizations/:id/users/roles', USERS),
  roleList('GET /organizations/:id/users/:userId/roles', USERS),
  assignment('POST /organizations/:id/users/:userId/roles', USERS, RoleIdsOrNames),
  replacement('PUT /organizations/:id/users/:userId/roles', USERS, RoleIdsOrNames),
  removal('DELETE /organizations/:id/users/:userId/roles/:organizationRoleId', USERS),
  scopeList('GET /organizations/:id/users/:userId/scopes', USERS),
];

export const organizationApplicationRoles = [
  bulkAssignment('POST /organizations/:id/applications/roles', APPLICATIONS),
  roleList('GET /organizations/:id/applications/:applicationId/roles', APPLICATIONS),
  assignment('POST /organizations/:id/applications/:applicationId/roles', APPLICATIONS, RoleIds),
  replacement('PUT /organizations/:id/applications/:applicationId/roles', APPLICATIONS, RoleIds),
  removal('DELETE /organizations/:id/applications/:applicationId/roles/:organizationRoleId', APPLICATIONS),
  scopeList('GET /organizations/:id/applications/:applicationId/scopes', APPLICATIONS),
];
