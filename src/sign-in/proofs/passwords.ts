import * as argon2 from '@node-rs/argon2';
import * as bcrypt from '@node-rs/bcrypt';
import { canVerify } from '../../base/password-digests.ts';
import { type HashCaller, HashingQueue } from './hashing-queue.ts';

/** Argon2id as the OWASP Password Storage Cheat Sheet recommends: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** `Algorithm.Argon2id`. A `const enum` cannot be imported when types are stripped. */
const ARGON2ID = 2;

/** A digest of the current cost that no password matches: 32 zero bytes with a zero salt. */
const DECOY = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** One for the process, because the libuv threads that it protects are shared by the process. */
export const hashingQueue = new HashingQueue();

/**
 * Takes about 20 ms of a core and 19 MiB, so never call it inside a transaction.
 *
 * @throws 503 if too many requests of the tenant wait
 */
export const hashPassword = (password: string, caller: HashCaller): Promise<string> =>
  hashingQueue.compute(caller, () => argon2.hash(password, COST));

/**
 * Verifies Argon2i, Argon2d and Argon2id in PHC form, and bcrypt (`$2a$`, `$2b$`, `$2y$`). Without a digest, or with
 * one above the ceiling of `password-digests.ts`, it computes another digest and returns false, so that the time does
 * not reveal whether an account exists or has a password.
 *
 * @param decoy the digest to compute in that case, if it can be verified; by default one of the current cost
 * @throws 503 if too many requests of the tenant wait
 */
export async function verifyPassword(
  digest: string | null | undefined,
  password: string,
  caller: HashCaller,
  decoy?: string | null,
): Promise<boolean> {
  const own = digest && canVerify(digest) ? digest : undefined;
  const computed = own ?? (decoy && canVerify(decoy) ? decoy : DECOY);
  const verify = (one: string) => (one.startsWith('$2') ? bcrypt.verify(password, one) : argon2.verify(one, password));
  // A digest that the library refuses matches no password, and costs as much as another one.
  const isRight = await hashingQueue.compute(caller, () => verify(computed).catch(() => verify(DECOY)));
  return own !== undefined && isRight;
}

/** Returns true if the digest is of another kind, or cheaper, than those of `hashPassword`. */
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
