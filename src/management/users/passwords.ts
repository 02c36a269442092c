import Type, { type Static } from 'typebox';
import { canVerify, digestAlgorithms, digestCeiling, isAffordableDigest } from '../../base/password-digests.ts';
import { User } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { userView } from '../../events/user-view.ts';
import { operation } from '../../http/operations/operation.ts';
import { endSessions } from '../../tokens/revocation/end-access.ts';
import { invalidBody, type optional } from '../shared/fields.ts';
import { changeUser } from './writes.ts';

const Password = Type.String({ minLength: 1, maxLength: 256 });

/** The fields for the password of a new user: in plain text, or as a digest from another system. */
export const NewPassword = {
  password: Password,
  passwordDigest: Type.String({
    minLength: 1,
    maxLength: 512,
    description: `Digest from another system, replaced by Argon2id at the first sign-in. Limits: ${digestCeiling}.`,
  }),
  passwordAlgorithm: Type.Enum(digestAlgorithms),
};

type PasswordFields = Static<ReturnType<typeof optional<typeof NewPassword>>>;

/** @throws 400 unless there is at most one password, and a digest comes with its algorithm */
export function refuseMixedPassword({ password, passwordDigest, passwordAlgorithm }: PasswordFields): void {
  if ((passwordDigest === undefined) !== (passwordAlgorithm === undefined))
    throw invalidBody('body.passwordDigest: must be sent together with passwordAlgorithm');
  if (password !== undefined && passwordDigest !== undefined)
    throw invalidBody('body.password: cannot be combined with passwordDigest');
}

/**
 * Returns the digest to store, or null for a user without a password.
 *
 * @throws 422 `password.unsupported_digest`, with the ceiling in its message
 */
export async function passwordOf(
  { password, passwordDigest, passwordAlgorithm }: PasswordFields,
  hash: (password: string) => Promise<string>,
): Promise<string | null> {
  if (password !== undefined) return hash(password);
  if (passwordDigest === undefined || passwordAlgorithm === undefined) return null;
  if (isAffordableDigest(passwordDigest, passwordAlgorithm)) return passwordDigest;
  throw new ServiceError('password.unsupported_digest', {
    message: `The password digest does not fit its algorithm or exceeds the limits. Send a digest within them: ${digestCeiling}.`,
  });
}

export const userPasswords = [
  operation('PATCH /users/:userId/password', {
    summary: 'Set the password of a user',
    role: 'editor',
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
    role: 'editor',
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
    role: 'viewer',
    status: 200,
    returns: Type.Object({ hasPassword: Type.Boolean() }),
    errors: ['entity.not_found'],
    async run({ params: { userId }, store }) {
      const { passwordHash } = await store.get('users', { id: userId });
      return { hasPassword: passwordHash !== null };
    },
  }),
];
