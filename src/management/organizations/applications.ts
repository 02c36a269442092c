import Type from 'typebox';
import { Application } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { requireMachines } from '../applications/applications.ts';
import { Ids, optional } from '../shared/fields.ts';
import { containing, list, mapped, newestFirst } from '../shared/listing.ts';
import {
  addMembers,
  announceChange,
  MACHINES,
  RolesOfMember,
  removeMember,
  replaceMembers,
  withOrganizationRoles,
} from '../shared/memberships.ts';

const Member = Type.Object({ ...Application.properties, ...RolesOfMember });

export const organizationApplications = [
  operation('GET /organizations/:id/applications', {
    summary: 'List the machine-to-machine applications of an organization, each with its roles in it',
    status: 200,
    query: optional({ q: Type.String({ description: 'Contained in id, name or description' }) }),
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
      return mapped(applications, (rows) => withOrganizationRoles(store, MACHINES, id, rows));
    },
  }),

  operation('POST /organizations/:id/applications', {
    summary: 'Add machine-to-machine applications to an organization; those that are members stay',
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
      await requireMachines(store, applicationIds, 422);
      return { applicationIds, ...(await addMembers(store, MACHINES, id, applicationIds)) };
    },
    event: 'Organization.Membership.Updated',
    announce: announceChange(MACHINES),
    audit: ({ added }) => ({ added }),
  }),

  operation('PUT /organizations/:id/applications', {
    summary: 'Replace the applications of an organization',
    status: 204,
    body: Type.Object({ applicationIds: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', ['entity.relation_foreign_key_not_found', 422], 'entity.db_constraint_violated'],
    async run({ params: { id }, body: { applicationIds }, store }) {
      await store.lock('organizations', { id });
      await requireMachines(store, applicationIds, 422);
      return replaceMembers(store, MACHINES, id, applicationIds);
    },
    event: 'Organization.Membership.Updated',
    announce: announceChange(MACHINES),
    audit: ({ added, removed }) => ({ added, removed }),
  }),

  operation('DELETE /organizations/:id/applications/:applicationId', {
    summary: 'Remove an application from an organization',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, applicationId }, store }) => removeMember(store, MACHINES, id, applicationId),
    event: 'Organization.Membership.Updated',
    announce: announceChange(MACHINES),
  }),
];
