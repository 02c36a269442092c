import Type from 'typebox';
import { JsonObject, User } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { touchUser } from './writes.ts';

const Target = Type.String({ minLength: 1, maxLength: 128 });

export const userIdentities = [
  operation('POST /users/:userId/identities/:target', {
    summary: 'Link a social identity to a user',
    role: 'editor',
    description: "`userId` in the body is the user's id at the social provider.",
    status: 201,
    params: Type.Object({ userId: Type.String(), target: Target }),
    body: Type.Object({ userId: Type.String({ minLength: 1, maxLength: 255 }), details: Type.Optional(JsonObject) }),
    returns: User,
    errors: ['entity.not_found', 'user.identity_already_in_use', 'entity.unique_integrity_violation'],
    async run({ params: { userId, target }, body: { userId: externalId, details = {} }, store, now }) {
      await store.lock('users', { id: userId });
      await store.add('userIdentities', [{ userId, target, externalId, isSso: false, details, createdAt: now }]);
      return touchUser(store, userId, now);
    },
    event: 'User.Data.Updated',
  }),

  operation('DELETE /users/:userId/identities/:target', {
    summary: 'Unlink a social identity from a user',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params: { userId, target }, store, now }) {
      await store.remove('userIdentities', { userId, target, isSso: false });
      return touchUser(store, userId, now);
    },
    event: 'User.Data.Updated',
  }),
];
