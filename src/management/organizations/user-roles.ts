import Type from 'typebox';
import { OrganizationRole, OrganizationScope } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids } from '../shared/fields.ts';
import {
  addMemberRoles,
  listMemberRoles,
  listMemberScopes,
  type Member,
  MemberRoles,
  removeMemberRole,
  replaceMemberRoles,
  roleIdsIn,
} from '../shared/member-roles.ts';
import { USERS } from '../shared/memberships.ts';

const memberOf = ({ id, userId }: { id: string; userId: string }): Member => ({
  kind: USERS,
  organizationId: id,
  id: userId,
});

export const organizationUserRoles = [
  operation('POST /organizations/:id/users/roles', {
    summary: 'Assign organization roles to users of an organization',
    status: 201,
    body: Type.Object({ userIds: Ids({ most: 100 }), organizationRoleIds: Ids({ least: 0, most: 100 }) }),
    errors: [
      'organization.require_membership',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    run: ({ params: { id }, body: { userIds, organizationRoleIds }, store }) =>
      addMemberRoles(store, { kind: USERS, organizationId: id, ids: userIds }, organizationRoleIds),
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('GET /organizations/:id/users/:userId/roles', {
    summary: 'List the roles of a user in an organization',
    status: 200,
    returns: Type.Array(OrganizationRole),
    paginated: 'optional',
    errors: ['organization.require_membership'],
    run: ({ params, page, store }) => listMemberRoles(store, memberOf(params), page),
  }),

  operation('POST /organizations/:id/users/:userId/roles', {
    summary: 'Assign organization roles to a user of an organization',
    description: 'Roles that the user already has are kept.',
    status: 201,
    body: MemberRoles,
    returns: Type.Object({ organizationRoleIds: Type.Array(Type.String()) }),
    errors: [
      'organization.require_membership',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    async run({ params: { id, userId }, body, store }) {
      const organizationRoleIds = await roleIdsIn(store, body);
      await addMemberRoles(store, { kind: USERS, organizationId: id, ids: [userId] }, organizationRoleIds);
      return { organizationRoleIds };
    },
    audit: ({ organizationRoleIds }) => ({ organizationRoleIds }),
  }),

  operation('PUT /organizations/:id/users/:userId/roles', {
    summary: 'Replace the roles of a user in an organization',
    status: 204,
    body: MemberRoles,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'organization.require_membership',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    async run({ params, body, store }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      const organizationRoleIds = await roleIdsIn(store, body);
      await replaceMemberRoles(store, memberOf(params), organizationRoleIds);
      return { organizationRoleIds };
    },
    audit: ({ organizationRoleIds }) => ({ organizationRoleIds }),
  }),

  operation('DELETE /organizations/:id/users/:userId/roles/:organizationRoleId', {
    summary: 'Remove an organization role from a user of an organization',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => removeMemberRole(store, memberOf(params), params.organizationRoleId),
  }),

  operation('GET /organizations/:id/users/:userId/scopes', {
    summary: 'List the scopes of a user in an organization',
    status: 200,
    returns: Type.Array(OrganizationScope),
    errors: ['organization.require_membership'],
    run: ({ params, store }) => listMemberScopes(store, memberOf(params)),
  }),
];
