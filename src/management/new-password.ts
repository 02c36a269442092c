import Type from 'typebox';
import { ServiceError } from '../errors.ts';
import type { Services } from '../http/operation.ts';
import { invalidBody } from './fields.ts';

export const Password = Type.String({ minLength: 1, maxLength: 256 });

/** What each algorithm's digest looks like: PHC strings and bcrypt's own form. */
const DIGESTS = {
  Argon2i: /^\$argon2i\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/,
  Argon2id: /^\$argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/,
  Argon2d: /^\$argon2d\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/,
  Bcrypt: /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/,
};
type Algorithm = keyof typeof DIGESTS;

/** The ways to give a new user a password: in the clear, or as a digest that another system made. */
export const NewPassword = {
  password: Password,
  passwordDigest: Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'Made elsewhere; replaced by Argon2id at the first sign-in',
  }),
  passwordAlgorithm: Type.Enum(Object.keys(DIGESTS) as Algorithm[]),
};

interface Given {
  password?: string;
  passwordDigest?: string;
  passwordAlgorithm?: Algorithm;
}

/** @throws 400 unless there is one password at most, and a digest comes with its algorithm */
export function refuseMixedPassword({ password, passwordDigest, passwordAlgorithm }: Given): void {
  if ((passwordDigest === undefined) !== (passwordAlgorithm === undefined))
    throw invalidBody('body.passwordDigest: needs passwordAlgorithm, and the other way round');
  if (password !== undefined && passwordDigest !== undefined)
    throw invalidBody('body.password: cannot be given together with passwordDigest');
}

/** The digest to store; null for a user without a password. */
export async function passwordOf(
  { password, passwordDigest, passwordAlgorithm }: Given,
  hash: Services['hashPassword'],
): Promise<string | null> {
  if (password !== undefined) return hash(password);
  if (passwordDigest === undefined || passwordAlgorithm === undefined) return null;
  if (!DIGESTS[passwordAlgorithm].test(passwordDigest)) throw new ServiceError('password.unsupported_digest');
  return passwordDigest;
}
