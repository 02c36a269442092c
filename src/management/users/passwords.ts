import Type from 'typebox';
import { canVerify } from '../../base/password-digests.ts';
import { User } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { userView } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';
import { endSessions } from '../../tokens/revocation/end-access.ts';
import { Password } from './new-password.ts';
import { changeUser } from './writes.ts';

export const userPasswords = [
  operation('PATCH /users/:userId/password', {
    summary: 'Set the password of a user',
    description:
      'Ends the sessions, grants, refresh tokens and access tokens of the user. Subject tokens and impersonations are kept.',
    status: 200,
    body: Type.Object({ password: Password }),
    returns: User,
    errors: ['entity.not_found'],
    prepare: ({ body, tenant }, { hashPassword }) => hashPassword(tenant.id, body.password),
    async run({ params: { userId }, prepared: passwordHash, store, now }) {
      const row = await changeUser(store, userId, { passwordHash }, now);
      await endSessions(store, userId, { now });
      return userView(store, row);
    },
    event: 'User.Data.Updated',
  }),

  operation('POST /users/:userId/password/verify', {
    summary: 'Verify a password without signing the user in',
    status: 204,
    body: Type.Object({ password: Password }),
    errors: ['entity.not_found', 'session.invalid_credentials', 'password.unsupported_digest'],
    load: ({ params: { userId }, store }) => store.get('users', { id: userId }),
    async prepare({ body, loaded: { passwordHash }, tenant }, { verifyPassword }) {
      if (passwordHash !== null && !canVerify(passwordHash)) throw new ServiceError('password.unsupported_digest');
      if (passwordHash === null || !(await verifyPassword(tenant.id, passwordHash, body.password)))
        throw new ServiceError('session.invalid_credentials');
    },
    run: async () => undefined,
  }),

  operation('GET /users/:userId/has-password', {
    summary: 'Check if a user has a password',
    status: 200,
    returns: Type.Object({ hasPassword: Type.Boolean() }),
    errors: ['entity.not_found'],
    async run({ params: { userId }, store }) {
      const { passwordHash } = await store.get('users', { id: userId });
      return { hasPassword: passwordHash !== null };
    },
  }),
];
