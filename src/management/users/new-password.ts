import Type from 'typebox';
import {
  type DigestAlgorithm,
  digestAlgorithms,
  digestCeiling,
  isAffordableDigest,
} from '../../base/password-digests.ts';
import { ServiceError } from '../../errors.ts';
import { invalidBody } from '../shared/fields.ts';

export const Password = Type.String({ minLength: 1, maxLength: 256 });

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

interface PasswordFields {
  password?: string;
  passwordDigest?: string;
  passwordAlgorithm?: DigestAlgorithm;
}

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
