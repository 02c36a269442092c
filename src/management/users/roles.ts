import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Role } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids } from '../shared/fields.ts';
import { byName, list } from '../shared/listing.ts';
import { searchable, searching, searchOf, searchQuery } from '../shared/search.ts';

/** @throws 404 `entity.relation_foreign_key_not_found`, 422 `user.invalid_role_type` */
async function requireUserRoles(store: TenantStore, roleIds: string[]): Promise<void> {
  const roles = await store.from('roles').whereIn('id', roleIds).select('type');
  if (roles.length < roleIds.length) throw foreignKeyNotFound('roleIds');
  if (roles.some(({ type }) => type !== 'User')) throw new ServiceError('user.invalid_role_type');
}

export const userRoles = [
  operation('GET /users/:userId/roles', {
    summary: 'List the roles of a user',
    status: 200,
    query: searchQuery(searchable.roles),
    returns: Type.Array(Role),
    paginated: 'optional',
    errors: ['entity.not_found', 'request.invalid_input'],
    async run({ params: { userId }, query, page, store }) {
      await store.get('users', { id: userId });
      return searching(store, searchOf(store, query, searchable.roles), async (store, found) => {
        const held = store.from('userRoles').where({ userId }).select('roleId');
        return list(store, 'roles', { page, order: byName, where: (roles) => roles.whereIn('id', held).where(found) });
      });
    },
  }),

  operation('POST /users/:userId/roles', {
    summary: 'Assign roles to a user',
    description: 'Roles that the user already has are kept.',
    status: 201,
    body: Type.Object({ roleIds: Ids() }),
    returns: Type.Object({ roleIds: Type.Array(Type.String()), addedRoleIds: Type.Array(Type.String()) }),
    errors: ['entity.not_found', 'entity.relation_foreign_key_not_found', 'user.invalid_role_type'],
    async run({ params: { userId }, body: { roleIds }, store }) {
      await store.get('users', { id: userId });
      await requireUserRoles(store, roleIds);
      const added = await store.addMissing(
        'userRoles',
        roleIds.map((roleId) => ({ userId, roleId })),
      );
      return { roleIds, addedRoleIds: added.map(({ roleId }) => roleId) };
    },
    audit: ({ addedRoleIds }) => ({ addedRoleIds }),
  }),

  operation('PUT /users/:userId/roles', {
    summary: 'Replace the roles of a user',
    status: 200,
    body: Type.Object({ roleIds: Ids({ least: 0 }) }),
    returns: Type.Object({ roleIds: Type.Array(Type.String()) }),
    errors: ['entity.not_found', 'entity.relation_foreign_key_not_found', 'user.invalid_role_type'],
    async run({ params: { userId }, body: { roleIds }, store }) {
      await store.lock('users', { id: userId });
      await requireUserRoles(store, roleIds);
      await store.removeWhere('userRoles', (held) => held.where({ userId }).whereNotIn('roleId', roleIds));
      await store.addMissing(
        'userRoles',
        roleIds.map((roleId) => ({ userId, roleId })),
      );
      return { roleIds };
    },
    audit: ({ roleIds }) => ({ roleIds }),
  }),

  operation('DELETE /users/:userId/roles/:roleId', {
    summary: 'Remove a role from a user',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { userId, roleId }, store }) => store.remove('userRoles', { userId, roleId }),
  }),
];
