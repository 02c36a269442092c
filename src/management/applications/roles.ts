import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Role } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { type Caller, operation } from '../../http/operations/operation.ts';
import { requireRoles } from '../roles/holders.ts';
import { Ids } from '../shared/fields.ts';
import { byName } from '../shared/listing.ts';
import { guardRoles } from '../shared/operator-rights.ts';
import { search, searchQuery } from '../shared/search.ts';

/**
 * Adds roles to an application. Only machine-to-machine applications have roles.
 *
 * @returns the ids of the roles that it did not have
 * @throws what `store.lock`, `requireRoles` and `guardRoles` throw, 422 `application.invalid_role_type`
 */
async function addRoles(store: TenantStore, caller: Caller, applicationId: string, roleIds: string[]) {
  const { type } = await store.lock('applications', { id: applicationId });
  if (type !== 'MachineToMachine') throw new ServiceError('application.invalid_role_type');
  await requireRoles(store, roleIds, 'MachineToMachine', 'application.invalid_role_type');
  await guardRoles(store, caller, roleIds);
  const rows = roleIds.map((roleId) => ({ applicationId, roleId }));
  return (await store.addMissing('applicationRoles', rows)).map(({ roleId }) => roleId);
}

export const applicationRoles = [
  operation('GET /applications/:id/roles', {
    summary: 'List the roles of an application',
    role: 'viewer',
    status: 200,
    query: searchQuery('roles'),
    returns: Type.Array(Role),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('applications', { id });
      const held = store.from('applicationRoles').where({ applicationId: id }).select('roleId');
      return search(store, 'roles', query, { page, order: byName, where: (roles) => roles.whereIn('id', held) });
    },
  }),

  operation('POST /applications/:id/roles', {
    summary: 'Assign roles to a machine-to-machine application',
    role: 'editor',
    description: 'Roles that the application already has are kept.',
    status: 201,
    body: Type.Object({ roleIds: Ids() }),
    returns: Type.Object({ roleIds: Type.Array(Type.String()), addedRoleIds: Type.Array(Type.String()) }),
    errors: ['entity.not_exists', 'entity.relation_foreign_key_not_found', 'application.invalid_role_type'],
    async run({ params: { id }, body: { roleIds }, caller, store }) {
      return { roleIds, addedRoleIds: await addRoles(store, caller, id, roleIds) };
    },
    audit: ({ addedRoleIds }) => ({ addedRoleIds }),
  }),

  operation('PUT /applications/:id/roles', {
    summary: 'Replace the roles of a machine-to-machine application',
    role: 'editor',
    status: 200,
    body: Type.Object({ roleIds: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', 'entity.relation_foreign_key_not_found', 'application.invalid_role_type'],
    async run({ params: { id }, body: { roleIds }, caller, store }) {
      await addRoles(store, caller, id, roleIds);
      await store.removeWhere('applicationRoles', (held) =>
        held.where({ applicationId: id }).whereNotIn('roleId', roleIds),
      );
    },
    audit: (_, { body }) => ({ roleIds: body.roleIds }),
  }),

  operation('DELETE /applications/:id/roles/:roleId', {
    summary: 'Remove a role from an application',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, roleId }, store }) => store.remove('applicationRoles', { applicationId: id, roleId }),
  }),
];
