import Type from 'typebox';
import { Application } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { requireMachineApplications } from '../applications/applications.ts';
import { Ids, optional } from '../shared/fields.ts';
import { containing, list, mapped, newestFirst } from '../shared/listing.ts';
import {
  APPLICATIONS,
  addMembers,
  membershipEventFields,
  RolesOfMember,
  removeMember,
  replaceMembers,
  withOrganizationRoles,
} from '../shared/memberships.ts';

const Member = Type.Object({ ...Application.properties, ...RolesOfMember });

export const organizationApplications = [
  operation('GET /organizations/:id/applications', {
    summary: 'List the machine-to-machine applications of an organization with their roles in it',
    status: 200,
    query: optional({ q: Type.String({ description: 'Text to search for in id, name and description' }) }),
    returns: Type.Array(Member),
    paginated: 'always',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, query, page, store }) {
      await store.get('organizations', { id });
      const members = store.from('organizationApplications').where({ organizationId: id }).select('applicationId');
      const matching = containing(store, ['id', 'name', 'description'], query.q);
      const applications = await list(store, 'applications', {
        page,
        order: newestFirst,
        where: (applications) => applications.whereIn('id', members).where(matching),
      });
      return mapped(applications, (rows) => withOrganizationRoles(store, APPLICATIONS, id, rows));
    },
  }),

  operation('POST /organizations/:id/applications', {
    summary: 'Add machine-to-machine applications to an organization',
    description: 'Existing members are kept.',
    status: 201,
    body: Type.Object({ applicationIds: Ids() }),
    returns: Type.Object({ applicationIds: Type.Array(Type.String()) }),
    errors: [
      'entity.not_exists_with_id',
      ['entity.relation_foreign_key_not_found', 422],
      'entity.db_constraint_violated',
    ],
    async run({ params: { id }, body: { applicationIds }, store }) {
      await store.get('organizations', { id });
      await requireMachineApplications(store, applicationIds, 422);
      return { applicationIds, ...(await addMembers(store, APPLICATIONS, id, applicationIds)) };
    },
    event: 'Organization.Membership.Updated',
    eventFields: membershipEventFields(APPLICATIONS),
    audit: ({ added }) => ({ added }),
  }),

  operation('PUT /organizations/:id/applications', {
    summary: 'Replace the applications of an organization',
    status: 204,
    body: Type.Object({ applicationIds: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', ['entity.relation_foreign_key_not_found', 422], 'entity.db_constraint_violated'],
    async run({ params: { id }, body: { applicationIds }, store }) {
      await store.lock('organizations', { id });
      await requireMachineApplications(store, applicationIds, 422);
      return replaceMembers(store, APPLICATIONS, id, applicationIds);
    },
    event: 'Organization.Membership.Updated',
    eventFields: membershipEventFields(APPLICATIONS),
    audit: ({ added, removed }) => ({ added, removed }),
  }),

  operation('DELETE /organizations/:id/applications/:applicationId', {
    summary: 'Remove an application from an organization',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, applicationId }, store }) => removeMember(store, APPLICATIONS, id, applicationId),
    event: 'Organization.Membership.Updated',
    eventFields: membershipEventFields(APPLICATIONS),
  }),
];
