import Type from 'typebox';
import { User } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { userView, userViews } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';
import { endAccess, endedBy } from '../../tokens/revocation/end-access.ts';
import { optional } from '../shared/fields.ts';
import { requireOtherOwner } from '../shared/last-owner.ts';
import { byTime, mapped, Order } from '../shared/listing.ts';
import { search, searchQuery } from '../shared/search.ts';
import { NewPassword, passwordOf, refuseMixedPassword } from './passwords.ts';
import { changeUser, createUser, UserFields, withNormalizedIdentifiers } from './writes.ts';

const CreateUser = optional({ ...UserFields, ...NewPassword });
const UpdateUser = optional(UserFields);
const IDENTIFIER_ERRORS = [
  'user.username_already_in_use',
  'user.email_already_in_use',
  'user.phone_already_in_use',
  'user.invalid_email',
  'user.invalid_phone',
] as const;

export const users = [
  operation('GET /users', {
    summary: 'List users, newest first',
    role: 'viewer',
    status: 200,
    query: searchQuery('users', {
      excludeRoleId: Type.String(),
      excludeOrganizationId: Type.String(),
      order: Order,
    }),
    returns: Type.Array(User),
    paginated: 'always',
    errors: ['request.invalid_input'],
    async run({ query: { excludeRoleId, excludeOrganizationId, order, ...query }, page, store }) {
      if (excludeRoleId !== undefined && excludeOrganizationId !== undefined)
        throw new ServiceError('request.invalid_input', {
          message: 'excludeRoleId and excludeOrganizationId cannot be combined. Send one of them.',
        });
      const rows = await search(store, 'users', query, {
        page,
        order: byTime('createdAt', order),
        where(users) {
          if (excludeRoleId !== undefined)
            users.whereNotIn('id', store.from('userRoles').where({ roleId: excludeRoleId }).select('userId'));
          if (excludeOrganizationId !== undefined) {
            const members = store.from('organizationUsers').where({ organizationId: excludeOrganizationId });
            users.whereNotIn('id', members.select('userId'));
          }
        },
      });
      return mapped(rows, (rows) => userViews(store, rows));
    },
  }),

  operation('POST /users', {
    summary: 'Create a user',
    role: 'editor',
    description: 'Assigns every role of type `User` that is marked as default.',
    status: 200,
    body: CreateUser,
    example: {
      username: 'ada',
      primaryEmail: 'ada@example.com',
      name: 'Ada Lovelace',
      password: 'violet harbour ninety',
      customData: { plan: 'gold' },
    },
    returns: User,
    errors: [...IDENTIFIER_ERRORS, 'password.unsupported_digest'],
    check(body) {
      refuseMixedPassword(body);
      withNormalizedIdentifiers(body);
    },
    async prepare({ body, tenant }, { hashPassword }) {
      return passwordOf(body, (password) => hashPassword(tenant.id, password));
    },
    run({ body, prepared: passwordHash, store, now }) {
      const { password: _, passwordDigest: __, passwordAlgorithm: ___, ...fields } = body;
      return createUser(store, fields, passwordHash, now);
    },
    event: 'User.Created',
    audit: ({ id }) => ({ userId: id }),
  }),

  operation('GET /users/:userId', {
    summary: 'Get a user',
    role: 'viewer',
    status: 200,
    query: optional({ includeSsoIdentities: Type.Boolean() }),
    returns: User,
    errors: ['entity.not_found'],
    async run({ params: { userId }, query, store }) {
      const row = await store.get('users', { id: userId });
      return userView(store, row, { includeSso: query.includeSsoIdentities ?? false });
    },
  }),

  operation('PATCH /users/:userId', {
    summary: 'Update a user',
    role: 'editor',
    description: '`null` clears a field. `customData` and `profile` are replaced as a whole.',
    status: 200,
    body: UpdateUser,
    example: { name: 'Ada King', primaryPhone: '12025550123', customData: { plan: 'silver' } },
    returns: User,
    errors: ['entity.not_found', 'entity.invalid_input', ...IDENTIFIER_ERRORS],
    check: (body) => void withNormalizedIdentifiers(body),
    async run({ params: { userId }, body, store, now }) {
      return userView(store, await changeUser(store, userId, withNormalizedIdentifiers(body), now));
    },
    event: 'User.Data.Updated',
  }),

  operation('PATCH /users/:userId/is-suspended', {
    summary: 'Suspend or reactivate a user',
    role: 'editor',
    description:
      'Suspension ends the sessions and tokens of the user, and revokes unspent subject tokens and active impersonations. The last owner of a tenant cannot be suspended.',
    status: 200,
    body: Type.Object({ isSuspended: Type.Boolean() }),
    returns: User,
    errors: ['entity.not_found', 'administrator.is_last'],
    async run({ params: { userId }, body: { isSuspended }, caller, store, now }) {
      if (isSuspended) await requireOtherOwner(store, userId);
      const row = await changeUser(store, userId, { isSuspended }, now);
      if (isSuspended) await endAccess(store, userId, endedBy(caller, 'suspended', now));
      return userView(store, row);
    },
    event: 'User.SuspensionStatus.Updated',
    audit: ({ isSuspended }) => ({ isSuspended }),
  }),

  operation('DELETE /users/:userId', {
    summary: 'Delete a user',
    role: 'editor',
    description:
      'Ends everything that suspension ends. The audit log and past impersonations keep the id. The last owner of a tenant cannot be deleted.',
    status: 204,
    errors: ['entity.not_found', 'administrator.is_last'],
    async run({ params: { userId }, caller, store, now }) {
      await requireOtherOwner(store, userId);
      const user = await userView(store, await store.lock('users', { id: userId }));
      await endAccess(store, userId, endedBy(caller, 'deleted', now));
      await store.remove('users', { id: userId });
      return user;
    },
    event: 'User.Deleted',
  }),
];
