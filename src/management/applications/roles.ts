import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Role } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids } from '../shared/fields.ts';
import { byName, list } from '../shared/listing.ts';
import { guardRoles } from '../shared/operator-rights.ts';
import { searchable, searching, searchOf, searchQuery } from '../shared/search.ts';

/** @throws 404 `entity.relation_foreign_key_not_found`, 422 `application.invalid_role_type` */
async function requireMachineRoles(store: TenantStore, roleIds: string[]): Promise<void> {
  const roles = await store.from('roles').whereIn('id', roleIds).select('type');
  if (roles.length < roleIds.length) throw foreignKeyNotFound('roleIds');
  if (roles.some(({ type }) => type !== 'MachineToMachine')) throw new ServiceError('application.invalid_role_type');
}

/**
 * Only machine-to-machine applications have roles.
 *
 * @throws 404 as `store.lock` does, 422 `application.invalid_role_type`
 */
async function lockMachineApplication(store: TenantStore, id: string): Promise<void> {
  const { type } = await store.lock('applications', { id });
  if (type !== 'MachineToMachine') throw new ServiceError('application.invalid_role_type');
}

export const applicationRoles = [
  operation('GET /applications/:id/roles', {
    summary: 'List the roles of an application',
    status: 200,
    query: searchQuery(searchable.roles),
    returns: Type.Array(Role),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('applications', { id });
      return searching(store, searchOf(store, query, searchable.roles), async (store, found) => {
        const held = store.from('applicationRoles').where({ applicationId: id }).select('roleId');
        return list(store, 'roles', { page, order: byName, where: (roles) => roles.whereIn('id', held).where(found) });
      });
    },
  }),

  operation('POST /applications/:id/roles', {
    summary: 'Assign roles to a machine-to-machine application',
    description: 'Roles that the application already has are kept.',
    status: 201,
    body: Type.Object({ roleIds: Ids() }),
    returns: Type.Object({ roleIds: Type.Array(Type.String()), addedRoleIds: Type.Array(Type.String()) }),
    errors: ['entity.not_exists', 'entity.relation_foreign_key_not_found', 'application.invalid_role_type'],
    async run({ params: { id }, body: { roleIds }, caller, store }) {
      await lockMachineApplication(store, id);
      await requireMachineRoles(store, roleIds);
      await guardRoles(store, caller, roleIds);
      const rows = roleIds.map((roleId) => ({ applicationId: id, roleId }));
      const added = await store.addMissing('applicationRoles', rows);
      return { roleIds, addedRoleIds: added.map(({ roleId }) => roleId) };
    },
    audit: ({ addedRoleIds }) => ({ addedRoleIds }),
  }),

  operation('PUT /applications/:id/roles', {
    summary: 'Replace the roles of a machine-to-machine application',
    status: 200,
    body: Type.Object({ roleIds: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', 'entity.relation_foreign_key_not_found', 'application.invalid_role_type'],
    async run({ params: { id }, body: { roleIds }, caller, store }) {
      await lockMachineApplication(store, id);
      await requireMachineRoles(store, roleIds);
      await guardRoles(store, caller, roleIds);
      await store.removeWhere('applicationRoles', (held) =>
        held.where({ applicationId: id }).whereNotIn('roleId', roleIds),
      );
      await store.addMissing(
        'applicationRoles',
        roleIds.map((roleId) => ({ applicationId: id, roleId })),
      );
    },
    audit: (_, { body }) => ({ roleIds: body.roleIds }),
  }),

  operation('DELETE /applications/:id/roles/:roleId', {
    summary: 'Remove a role from an application',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, roleId }, store }) => store.remove('applicationRoles', { applicationId: id, roleId }),
  }),
];
