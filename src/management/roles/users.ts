import Type from 'typebox';
import { User } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { userViews } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids, requireExisting } from '../shared/fields.ts';
import { type Listing, list, mapped, newestFirst } from '../shared/listing.ts';
import { searchable, searching, searchOf, searchQuery } from '../shared/search.ts';

export const roleUsers = [
  operation('GET /roles/:id/users', {
    summary: 'List the users who have a role',
    status: 200,
    query: searchQuery(searchable.users),
    returns: Type.Array(User),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query, page, store }) {
      await store.get('roles', { id });
      return searching(store, searchOf(store, query, searchable.users), async (store, found) => {
        const holders = store.from('userRoles').where({ roleId: id }).select('userId');
        const listing: Listing = {
          page,
          order: newestFirst,
          where: (users) => users.whereIn('id', holders).where(found),
        };
        return mapped(await list(store, 'users', listing), (rows) => userViews(store, rows));
      });
    },
  }),

  operation('POST /roles/:id/users', {
    summary: 'Assign a role to users',
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
      const added = await store.addMissing(
        'userRoles',
        userIds.map((userId) => ({ userId, roleId: id })),
      );
      if (added.length < userIds.length) throw new ServiceError('role.user_exists');
    },
    audit: (_, { body }) => ({ userIds: body.userIds }),
  }),

  operation('DELETE /roles/:id/users/:userId', {
    summary: 'Remove a role from a user',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, userId }, store }) => store.remove('userRoles', { userId, roleId: id }),
  }),
];
