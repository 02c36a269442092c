import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { Row } from '../../database/tables/index.ts';
import { Application, User } from '../../entities.ts';
import { type ErrorCode, foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { userViews } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';
import { requireMachineApplications } from '../applications/applications.ts';
import { Ids, requireExisting } from '../shared/fields.ts';
import { mapped, newestFirst } from '../shared/listing.ts';
import { guardRoles } from '../shared/operator-rights.ts';
import { search, searchQuery } from '../shared/search.ts';

/** @throws 404 `entity.relation_foreign_key_not_found`, and the error `wrongType` for roles of another type */
export async function requireRoles(
  store: TenantStore,
  roleIds: string[],
  type: Row<'roles'>['type'],
  wrongType: ErrorCode,
) {
  const roles = await store.from('roles').whereIn('id', roleIds).select('type');
  if (roles.length < roleIds.length) throw foreignKeyNotFound('roleIds');
  if (roles.some((role) => role.type !== type)) throw new ServiceError(wrongType);
}

export const roleHolders = [
  operation('GET /roles/:id/users', {
    summary: 'List the users who have a role',
    role: 'viewer',
    status: 200,
    query: searchQuery('users'),
    returns: Type.Array(User),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('roles', { id });
      const holders = store.from('userRoles').where({ roleId: id }).select('userId');
      const where: Condition = (users) => users.whereIn('id', holders);
      const rows = await search(store, 'users', query, { page, order: newestFirst, where });
      return mapped(rows, (rows) => userViews(store, rows));
    },
  }),

  operation('POST /roles/:id/users', {
    summary: 'Assign a role to users',
    role: 'editor',
    status: 201,
    body: Type.Object({ userIds: Ids() }),
    errors: [
      'entity.not_exists_with_id',
      'entity.relation_foreign_key_not_found',
      'entity.db_constraint_violated',
      'role.user_exists',
    ],
    async run({ params: { id }, body: { userIds }, store }) {
      const role = await store.get('roles', { id });
      if (role.type !== 'User') throw new ServiceError('entity.db_constraint_violated');
      await requireExisting(store, 'users', { ids: userIds, member: 'userIds' });
      const rows = userIds.map((userId) => ({ userId, roleId: id }));
      const added = await store.addMissing('userRoles', rows);
      if (added.length < userIds.length) throw new ServiceError('role.user_exists');
    },
    audit: (_, { body }) => ({ userIds: body.userIds }),
  }),

  operation('DELETE /roles/:id/users/:userId', {
    summary: 'Remove a role from a user',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, userId }, store }) => store.remove('userRoles', { userId, roleId: id }),
  }),

  operation('GET /roles/:id/applications', {
    summary: 'List the applications that have a role',
    role: 'viewer',
    status: 200,
    query: searchQuery('applications'),
    returns: Type.Array(Application),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('roles', { id });
      const holders = store.from('applicationRoles').where({ roleId: id }).select('applicationId');
      const where: Condition = (applications) => applications.whereIn('id', holders);
      return search(store, 'applications', query, { page, order: newestFirst, where });
    },
  }),

  operation('POST /roles/:id/applications', {
    summary: 'Assign a role to machine-to-machine applications',
    role: 'editor',
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
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, applicationId }, store }) => store.remove('applicationRoles', { applicationId, roleId: id }),
  }),
];
