import * as argon2 from '@node-rs/argon2';
import * as bcrypt from '@node-rs/bcrypt';
import { canVerify } from '../../base/password-digests.ts';
import { HashingLine, type Turn } from './hashing-line.ts';

/** Argon2id as OWASP's password storage sheet asks: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** `Algorithm.Argon2id`, whose `const enum` cannot be imported where types are stripped. */
const ARGON2ID = 2;

/** A digest of the present cost that no password matches: 32 zero bytes under a zero salt. */
const DECOY = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** One for the process: what it guards is one for the process too. */
export const hashingLine = new HashingLine();

/** Some 20 ms of a core and 19 MiB: never inside a transaction. @throws 503 when too many of the tenant wait for theirs */
export const hashPassword = (password: string, turn: Turn): Promise<string> =>
  hashingLine.compute(turn, () => argon2.hash(password, COST));

/**
 * Argon2i, Argon2d and Argon2id in PHC form, and bcrypt (`$2a$`, `$2b$`, `$2y$`). Without a digest, or with one above
 * the ceiling of `password-digests.ts`, the answer is no after computing another one, so that time does not tell
 * whether an account exists or has a password.
 *
 * @param decoy what to compute then, if it can be; by default a digest of the present cost
 * @throws 503 when too many of the tenant wait for theirs
 */
export async function verifyPassword(
  digest: string | null | undefined,
  password: string,
  turn: Turn,
  decoy?: string | null,
): Promise<boolean> {
  const own = digest && canVerify(digest) ? digest : undefined;
  const computed = own ?? (decoy && canVerify(decoy) ? decoy : DECOY);
  const verify = (one: string) => (one.startsWith('$2') ? bcrypt.verify(password, one) : argon2.verify(one, password));
  // A digest that the library refuses is no password of anyone, and costs what another one does.
  const isRight = await hashingLine.compute(turn, () => verify(computed).catch(() => verify(DECOY)));
  return own !== undefined && isRight;
}

/** Whether a digest is of another kind, or cheaper, than those of `hashPassword`. */
export function needsRehash(digest: string): boolean {
  if (!digest.startsWith('$argon2id$')) return true;
  const { algorithm, memoryCost, timeCost, parallelism } = argon2.parseOptions(digest);
  return (
    algorithm !== ARGON2ID ||
    memoryCost < COST.memoryCost ||
    timeCost < COST.timeCost ||
    parallelism !== COST.parallelism
  );
}
