import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { JsonObject, User } from '../../entities.ts';
import { userView } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';

const Target = Type.String({ minLength: 1, maxLength: 128 });

async function changed(store: TenantStore, userId: string, now: number): Promise<User> {
  return userView(store, await store.update('users', { id: userId }, { updatedAt: now }));
}

export const userIdentities = [
  operation('POST /users/:userId/identities/:target', {
    summary: 'Link a social identity to a user',
    description: '`userId` in the body is the id that the social provider knows the user by.',
    status: 201,
    params: Type.Object({ userId: Type.String(), target: Target }),
    body: Type.Object({ userId: Type.String({ minLength: 1, maxLength: 255 }), details: Type.Optional(JsonObject) }),
    returns: User,
    errors: ['entity.not_found', 'user.identity_already_in_use', 'entity.unique_integrity_violation'],
    async run({ params: { userId, target }, body: { userId: externalId, details = {} }, store, now }) {
      await store.lock('users', { id: userId });
      await store.add('userIdentities', [{ userId, target, externalId, isSso: false, details, createdAt: now }]);
      return changed(store, userId, now);
    },
    event: 'User.Data.Updated',
  }),

  operation('DELETE /users/:userId/identities/:target', {
    summary: 'Unlink a social identity',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params: { userId, target }, store, now }) {
      await store.remove('userIdentities', { userId, target, isSso: false });
      return changed(store, userId, now);
    },
    event: 'User.Data.Updated',
  }),
];
