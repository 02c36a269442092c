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

/** The ways to give a new user a password: in the clear, or as a digest that another system made. */
export const NewPassword = {
  password: Password,
  passwordDigest: Type.String({
    minLength: 1,
    maxLength: 512,
    description: `Made elsewhere; replaced by Argon2id at the first sign-in. The cost is limited: ${digestCeiling}.`,
  }),
  passwordAlgorithm: Type.Enum(digestAlgorithms),
};

interface Given {
  password?: string;
  passwordDigest?: string;
  passwordAlgorithm?: DigestAlgorithm;
}

/** @throws 400 unless there is one password at most, and a digest comes with its algorithm */
export function refuseMixedPassword({ password, passwordDigest, passwordAlgorithm }: Given): void {
  if ((passwordDigest === undefined) !== (passwordAlgorithm === undefined))
    throw invalidBody('body.passwordDigest: needs passwordAlgorithm, and the other way round');
  if (password !== undefined && passwordDigest !== undefined)
    throw invalidBody('body.password: cannot be given together with passwordDigest');
}

/**
 * The digest to store; null for a user without a password.
 *
 * @throws 422 `password.unsupported_digest`, with the ceiling in its message
 */
export async function passwordOf(
  { password, passwordDigest, passwordAlgorithm }: Given,
  hash: (password: string) => Promise<string>,
): Promise<string | null> {
  if (password !== undefined) return hash(password);
  if (passwordDigest === undefined || passwordAlgorithm === undefined) return null;
  if (isAffordableDigest(passwordDigest, passwordAlgorithm)) return passwordDigest;
  throw new ServiceError('password.unsupported_digest', {
    message: `The password digest is not one of the named algorithm, or it costs too much to verify: ${digestCeiling}.`,
  });
}
