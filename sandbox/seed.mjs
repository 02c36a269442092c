import { randomBytes } from 'node:crypto';

/** Hexadecimal digits of the 32 random bytes one run gets. */
const SEED_DIGITS = 64;

/** Asked for in large portions: one call of the generator costs as much as a small run's whole way through the prelude. */
let pool = '';
let used = 0;

/** Randomness for one run, never given twice, as hexadecimal digits. */
export function nextSeed() {
  if (used === pool.length) {
    pool = randomBytes(128 * SEED_DIGITS).toString('hex');
    used = 0;
  }
  used += SEED_DIGITS;
  return pool.slice(used - SEED_DIGITS, used);
}
