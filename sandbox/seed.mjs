import { randomBytes } from 'node:crypto';

/** Hexadecimal digits of the 32 random bytes for one run. */
const SEED_DIGITS = 64;

/** Digits for 128 runs are generated at once: one call of the generator costs as much as the whole prelude of a small run. */
let pool = '';
let used = 0;

/** Returns random hexadecimal digits for one run, never the same twice. */
export function nextSeed() {
  if (used === pool.length) {
    pool = randomBytes(128 * SEED_DIGITS).toString('hex');
    used = 0;
  }
  used += SEED_DIGITS;
  return pool.slice(used - SEED_DIGITS, used);
}
