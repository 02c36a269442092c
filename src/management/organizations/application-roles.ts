import Type from 'typebox';
import { OrganizationRole, OrganizationScope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids } from '../shared/fields.ts';
import {
  addMemberRoles,
  listMemberRoles,
  listMemberScopes,
  type Member,
  removeMemberRole,
  replaceMemberRoles,
} from '../shared/member-roles.ts';
import { APPLICATIONS } from '../shared/memberships.ts';

const memberOf = ({ id, applicationId }: { id: string; applicationId: string }): Member => ({
  kind: APPLICATIONS,
  organizationId: id,
  id: applicationId,
});

export const organizationApplicationRoles = [
  operation('POST /organizations/:id/applications/roles', {
    summary: 'Assign organization roles to applications of an organization',
    status: 201,
    body: Type.Object({ applicationIds: Ids({ most: 100 }), organizationRoleIds: Ids({ least: 0, most: 100 }) }),
    errors: [
      'organization.require_membership',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    run: ({ params: { id }, body: { applicationIds, organizationRoleIds }, store }) =>
      addMemberRoles(store, { kind: APPLICATIONS, organizationId: id, ids: applicationIds }, organizationRoleIds),
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('GET /organizations/:id/applications/:applicationId/roles', {
    summary: 'List the roles of an application in an organization',
    status: 200,
    returns: Type.Array(OrganizationRole),
    paginated: 'optional',
    errors: ['organization.require_membership'],
    run: ({ params, page, store }) => listMemberRoles(store, memberOf(params), page),
  }),

  operation('POST /organizations/:id/applications/:applicationId/roles', {
    summary: 'Assign organization roles to an application of an organization',
    description: 'Roles that the application already has are kept.',
    status: 201,
    body: Type.Object({ organizationRoleIds: Ids({ least: 0 }) }),
    returns: Type.Object({ organizationRoleIds: Type.Array(Type.String()) }),
    errors: [
      'organization.require_membership',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    async run({ params: { id, applicationId }, body: { organizationRoleIds }, store }) {
      await addMemberRoles(
        store,
        { kind: APPLICATIONS, organizationId: id, ids: [applicationId] },
        organizationRoleIds,
      );
      return { organizationRoleIds };
    },
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('PUT /organizations/:id/applications/:applicationId/roles', {
    summary: 'Replace the roles of an application in an organization',
    status: 204,
    body: Type.Object({ organizationRoleIds: Ids({ least: 0 }) }),
    errors: [
      'entity.not_exists',
      'organization.require_membership',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    run: ({ params, body, store }) => replaceMemberRoles(store, memberOf(params), body.organizationRoleIds),
    audit: (_, { body }) => ({ ...body }),
  }),

  operation('DELETE /organizations/:id/applications/:applicationId/roles/:organizationRoleId', {
    summary: 'Remove an organization role from an application of an organization',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => removeMemberRole(store, memberOf(params), params.organizationRoleId),
  }),

  operation('GET /organizations/:id/applications/:applicationId/scopes', {
    summary: 'List the scopes of an application in an organization',
    status: 200,
    returns: Type.Array(OrganizationScope),
    errors: ['organization.require_membership'],
    run: ({ params, store }) => listMemberScopes(store, memberOf(params)),
  }),
];
