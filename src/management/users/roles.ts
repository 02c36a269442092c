import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Role } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { requireRoles } from '../roles/holders.ts';
import { Ids } from '../shared/fields.ts';
import { byName } from '../shared/listing.ts';
import { search, searchQuery } from '../shared/search.ts';

/** Adds roles to a user. @returns the ids of those that the user did not have @throws what `requireRoles` throws */
async function addRoles(store: TenantStore, userId: string, roleIds: string[]) {
  await requireRoles(store, roleIds, 'User', 'user.invalid_role_type');
  const rows = roleIds.map((roleId) => ({ userId, roleId }));
  return (await store.addMissing('userRoles', rows)).map(({ roleId }) => roleId);
}

export const userRoles = [
  operation('GET /users/:userId/roles', {
    summary: 'List the roles of a user',
    role: 'viewer',
    status: 200,
    query: searchQuery('roles'),
    returns: Type.Array(Role),
    paginated: 'optional',
    errors: ['entity.not_found', 'request.invalid_input'],
    async run({ params: { userId }, query, page, store }) {
      await store.get('users', { id: userId });
      const held = store.from('userRoles').where({ userId }).select('roleId');
      return search(store, 'roles', query, { page, order: byName, where: (roles) => roles.whereIn('id', held) });
    },
  }),

  operation('POST /users/:userId/roles', {
    summary: 'Assign roles to a user',
    role: 'editor',
    description: 'Roles that the user already has are kept.',
    status: 201,
    body: Type.Object({ roleIds: Ids() }),
    returns: Type.Object({ roleIds: Type.Array(Type.String()), addedRoleIds: Type.Array(Type.String()) }),
    errors: ['entity.not_found', 'entity.relation_foreign_key_not_found', 'user.invalid_role_type'],
    async run({ params: { userId }, body: { roleIds }, store }) {
      await store.get('users', { id: userId });
      return { roleIds, addedRoleIds: await addRoles(store, userId, roleIds) };
    },
    audit: ({ addedRoleIds }) => ({ addedRoleIds }),
  }),

  operation('PUT /users/:userId/roles', {
    summary: 'Replace the roles of a user',
    role: 'editor',
    status: 200,
    body: Type.Object({ roleIds: Ids({ least: 0 }) }),
    returns: Type.Object({ roleIds: Type.Array(Type.String()) }),
    errors: ['entity.not_found', 'entity.relation_foreign_key_not_found', 'user.invalid_role_type'],
    async run({ params: { userId }, body: { roleIds }, store }) {
      await store.lock('users', { id: userId });
      await addRoles(store, userId, roleIds);
      await store.removeWhere('userRoles', (held) => held.where({ userId }).whereNotIn('roleId', roleIds));
      return { roleIds };
    },
    audit: ({ roleIds }) => ({ roleIds }),
  }),

  operation('DELETE /users/:userId/roles/:roleId', {
    summary: 'Remove a role from a user',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { userId, roleId }, store }) => store.remove('userRoles', { userId, roleId }),
  }),
];
