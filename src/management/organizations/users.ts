import Type from 'typebox';
import { User } from '../../entities.ts';
import { userViews } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';
import { Ids, optional, requireExisting } from '../shared/fields.ts';
import { containing, list, mapped, newestFirst } from '../shared/listing.ts';
import {
  addMembers,
  membershipEventFields,
  RolesOfMember,
  removeMember,
  replaceMembers,
  USERS,
  withOrganizationRoles,
} from '../shared/memberships.ts';

const Member = Type.Object({ ...User.properties, ...RolesOfMember });

export const organizationUsers = [
  operation('GET /organizations/:id/users', {
    summary: 'List the users of an organization with their roles in it',
    status: 200,
    query: optional({ q: Type.String({ description: 'Text to search for in id, name, username, email and phone' }) }),
    returns: Type.Array(Member),
    paginated: 'always',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, query, page, store }) {
      await store.get('organizations', { id });
      const members = store.from('organizationUsers').where({ organizationId: id }).select('userId');
      const matching = containing(store, ['id', 'name', 'username', 'primaryEmail', 'primaryPhone'], query.q);
      const users = await list(store, 'users', {
        page,
        order: newestFirst,
        where: (users) => users.whereIn('id', members).where(matching),
      });
      return mapped(users, async (rows) => withOrganizationRoles(store, USERS, id, await userViews(store, rows)));
    },
  }),

  operation('POST /organizations/:id/users', {
    summary: 'Add users to an organization',
    description: 'Existing members are kept.',
    status: 201,
    body: Type.Object({ userIds: Ids() }),
    returns: Type.Object({ userIds: Type.Array(Type.String()) }),
    errors: ['entity.not_exists_with_id', ['entity.relation_foreign_key_not_found', 422]],
    async run({ params: { id }, body: { userIds }, store }) {
      await store.get('organizations', { id });
      await requireExisting(store, 'users', { ids: userIds, member: 'userIds', status: 422 });
      return { userIds, ...(await addMembers(store, USERS, id, userIds)) };
    },
    event: 'Organization.Membership.Updated',
    eventFields: membershipEventFields(USERS),
    audit: ({ added }) => ({ added }),
  }),

  operation('PUT /organizations/:id/users', {
    summary: 'Replace the users of an organization',
    status: 204,
    body: Type.Object({ userIds: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', ['entity.relation_foreign_key_not_found', 422]],
    async run({ params: { id }, body: { userIds }, store }) {
      await store.lock('organizations', { id });
      await requireExisting(store, 'users', { ids: userIds, member: 'userIds', status: 422 });
      return replaceMembers(store, USERS, id, userIds);
    },
    event: 'Organization.Membership.Updated',
    eventFields: membershipEventFields(USERS),
    audit: ({ added, removed }) => ({ added, removed }),
  }),

  operation('DELETE /organizations/:id/users/:userId', {
    summary: 'Remove a user from an organization',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id, userId }, store }) => removeMember(store, USERS, id, userId),
    event: 'Organization.Membership.Updated',
    eventFields: membershipEventFields(USERS),
  }),
];
