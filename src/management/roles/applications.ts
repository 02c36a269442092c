import Type from 'typebox';
import type { Condition } from '../../database/store/tenant-store.ts';
import { Application } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { requireMachineApplications } from '../applications/applications.ts';
import { Ids } from '../shared/fields.ts';
import { list, newestFirst } from '../shared/listing.ts';
import { guardRoles } from '../shared/operator-rights.ts';
import { searchable, searching, searchOf, searchQuery } from '../shared/search.ts';

export const roleApplications = [
  operation('GET /roles/:id/applications', {
    summary: 'List the applications that have a role',
    status: 200,
    query: searchQuery(searchable.applications),
    returns: Type.Array(Application),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('roles', { id });
      return searching(store, searchOf(store, query, searchable.applications), async (store, found) => {
        const holders = store.from('applicationRoles').where({ roleId: id }).select('applicationId');
        const where: Condition = (applications) => applications.whereIn('id', holders).where(found);
        return list(store, 'applications', { page, order: newestFirst, where });
      });
    },
  }),

  operation('POST /roles/:id/applications', {
    summary: 'Assign a role to machine-to-machine applications',
    status: 201,
    body: Type.Object({ applicationIds: Ids() }),
    errors: [
      'entity.not_exists_with_id',
      'entity.relation_foreign_key_not_found',
      'entity.db_constraint_violated',
      'role.application_exists',
    ],
    async run({ params: { id }, body: { applicationIds }, caller, store }) {
      const role = await store.get('roles', { id });
      if (role.type !== 'MachineToMachine') throw new ServiceError('entity.db_constraint_violated');
      await requireMachineApplications(store, applicationIds);
      await guardRoles(store, caller, [id]);
      const rows = applicationIds.map((applicationId) => ({ applicationId, roleId: id }));
      const added = await store.addMissing('applicationRoles', rows);
      if (added.length < rows.length) throw new ServiceError('role.application_exists');
    },
    audit: (_, { body }) => ({ applicationIds: body.applicationIds }),
  }),

  operation('DELETE /roles/:id/applications/:applicationId', {
    summary: 'Remove a role from an application',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, applicationId }, store }) => store.remove('applicationRoles', { applicationId, roleId: id }),
  }),
];
