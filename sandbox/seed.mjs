import { randomBytes } from 'node:crypto';

/** Bytes of randomness one run gets. */
const SEED_BYTES = 32;

/** Asked for in large portions: one call of the generator costs as much as a small run's whole way through the prelude. */
let pool = Buffer.alloc(0);

/** Randomness for one run, never given twice, as hexadecimal digits. */
export function nextSeed() {
  if (pool.length < SEED_BYTES) pool = randomBytes(256 * SEED_BYTES);
  const seed = pool.toString('hex', 0, SEED_BYTES);
  pool = pool.subarray(SEED_BYTES);
  return seed;
}
