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

/** Computes Argon2i, Argon2d and Argon2id in PHC form, and bcrypt (`$2a$`, `$2b$`, `$2y$`). */
export const computeDigest = (digest: string, password: string): Promise<boolean> =>
  digest.startsWith('$2') ? bcrypt.verify(password, digest) : argon2.verify(digest, password);

/** Hashes and verifies passwords. Both throw 503 if too many requests of the tenant wait. */
export class Passwords {
  readonly #compute: typeof computeDigest;

  constructor(compute = computeDigest) {
    this.#compute = compute;
  }

  /** Takes about 20 ms of a core and 19 MiB, so never call it inside a transaction. */
  hash(password: string, caller: HashCaller): Promise<string> {
    return hashingQueue.compute(caller, () => argon2.hash(password, COST));
  }

  /**
   * Without a digest, or with one above the ceiling of `password-digests.ts`, it computes another digest and returns
   * false, so that the time does not reveal whether an account exists or has a password.
   *
   * @param decoy the digest to compute in that case, if it can be verified; by default one of the current cost
   */
  async verify(
    digest: string | null | undefined,
    password: string,
    caller: HashCaller,
    decoy?: string | null,
  ): Promise<boolean> {
    const own = digest && canVerify(digest) ? digest : undefined;
    const computed = own ?? (decoy && canVerify(decoy) ? decoy : DECOY);
    // A digest that the library refuses matches no password, and costs as much as another one.
    const isRight = await hashingQueue.compute(caller, () =>
      this.#compute(computed, password).catch(() => this.#compute(DECOY, password)),
    );
    return own !== undefined && isRight;
  }
}

/** Returns true if the digest is of another kind, or cheaper, than those of `Passwords.hash`. */
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
