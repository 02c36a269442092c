import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { Role } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids, optional } from '../shared/fields.ts';
import { byName, list, mapped } from '../shared/listing.ts';
import { searchable, searching, searchOf, searchQuery } from '../shared/search.ts';
import { RoleWithHolders, withHolders } from './holders-summary.ts';
import { assignScopes } from './scopes.ts';

const { name, description, type, isDefault } = Role.properties;

export const roles = [
  operation('GET /roles', {
    summary: 'List roles by name, each with the number of its users and applications and the first of them',
    status: 200,
    query: searchQuery(searchable.roles, {
      type: { type: 'string', enum: ['User', 'MachineToMachine'] },
      excludeUserId: { type: 'string' },
      excludeApplicationId: { type: 'string' },
    }),
    returns: Type.Array(RoleWithHolders),
    paginated: 'always',
    errors: ['request.invalid_input'],
    run({ query: { type, excludeUserId, excludeApplicationId, ...query }, page, store }) {
      return searching(store, searchOf(store, query, searchable.roles), async (store, found) => {
        const rows = await list(store, 'roles', {
          page,
          order: byName,
          where(roles) {
            roles.where(found);
            if (type !== undefined) roles.where({ type });
            if (excludeUserId !== undefined)
              roles.whereNotIn('id', store.from('userRoles').where({ userId: excludeUserId }).select('roleId'));
            if (excludeApplicationId !== undefined) {
              const held = store.from('applicationRoles').where({ applicationId: excludeApplicationId });
              roles.whereNotIn('id', held.select('roleId'));
            }
          },
        });
        return mapped(rows, (rows) => withHolders(store, rows));
      });
    },
  }),

  operation('POST /roles', {
    summary: 'Create a role, optionally with scopes',
    status: 200,
    body: Type.Object({
      name,
      description,
      type: Type.Optional(type),
      isDefault: Type.Optional(isDefault),
      scopeIds: Type.Optional(Ids({ least: 0 })),
    }),
    returns: Role,
    errors: [
      'role.name_in_use',
      'entity.relation_foreign_key_not_found',
      'role.management_api_scopes_not_assignable_to_user_role',
    ],
    async run({ body: { scopeIds = [], ...fields }, caller, store }) {
      const role = await store.insert('roles', { id: newId(), type: 'User', isDefault: false, ...fields });
      return { ...role, scopes: await assignScopes(store, caller, role, scopeIds) };
    },
    event: 'Role.Created',
    furtherEvents: [
      {
        event: 'Role.Scopes.Updated',
        eventFields: ({ id, scopes }) => scopes.length > 0 && { data: scopes, roleId: id },
      },
    ],
  }),

  operation('GET /roles/:id', {
    summary: 'Get a role',
    status: 200,
    returns: Role,
    errors: ['entity.not_exists_with_id'],
    run: ({ params, store }) => store.get('roles', params),
  }),

  operation('PATCH /roles/:id', {
    summary: 'Update the name, description or default status of a role',
    status: 200,
    body: optional({ name, description, isDefault }),
    returns: Role,
    errors: ['entity.not_exists', 'entity.invalid_input', 'role.name_in_use'],
    run: ({ params, body, store }) => store.update('roles', params, body),
    event: 'Role.Data.Updated',
  }),

  operation('DELETE /roles/:id', {
    summary: 'Delete a role and all its assignments',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => store.remove('roles', params),
    event: 'Role.Deleted',
  }),
];
