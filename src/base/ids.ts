import { hash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';

const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Random bytes are generated in batches, because the call costs more than the bytes. */
const pool = Buffer.alloc(4_096);
let next = pool.length;

function randomByte(): number {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const byte = pool[next] as number;
  pool[next] = 0;
  next += 1;
  return byte;
}

/** Discards bytes beyond the largest multiple of the alphabet's length, so that every character is equally likely. */
function pick(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < limit) text += alphabet[byte % alphabet.length];
  }
  return text;
}

/** Returns an id of a row: 21 characters `[0-9a-z]`, 108 bits from the CSPRNG. */
export const newId = (): string => pick(LOWER, 21);

/** Leading characters of an ordered id, which encode the time in base 36. */
export const TIME_DIGITS = 9;

/**
 * Returns an id of a row of a log (events, deliveries, runs, audit entries, subject tokens, impersonations): 21
 * characters `[0-9a-z]`, the time and then 62 random bits. Rows created together are adjacent in every index, so a
 * batch of them touches a few pages instead of one each. The id is not a secret.
 */
export const newOrderedId = (now: number): string => now.toString(36).padStart(TIME_DIGITS, '0') + pick(LOWER, 12);

/** Returns an id of a user or an organization: 12 characters `[0-9a-z]`. */
export const newShortId = (): string => pick(LOWER, 12);

/** Returns a client secret or webhook signing secret: 32 characters `[0-9A-Za-z]`, 190 bits. */
export const newSecret = (): string => pick(ALPHANUMERIC, 32);

/** Returns a subject token: `sub_` and 256 random bits. Only its hash is ever stored. */
export const newSubjectToken = (): string => `sub_${randomBytes(32).toString('base64url')}`;

/** Returns the SHA-256 in base64url. Only for values with at least 128 bits of entropy, never for passwords. */
export const hashOf = (value: string): string => hash('sha256', value, 'base64url');

/** Compares secrets in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
