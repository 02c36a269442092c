import { hash, randomBytes, randomFillSync } from 'node:crypto';

const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Random bytes are asked for in lots: the call costs more than the bytes. */
const lot = Buffer.alloc(4_096);
let next = lot.length;

function randomByte(): number {
  if (next === lot.length) {
    randomFillSync(lot);
    next = 0;
  }
  const byte = lot[next] as number;
  lot[next] = 0;
  next += 1;
  return byte;
}

/** Bytes beyond the largest multiple of the alphabet's length are thrown away, so that no letter is likelier. */
function pick(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < limit) text += alphabet[byte % alphabet.length];
  }
  return text;
}

/** Id of a row: 21 characters `[0-9a-z]`, 108 bits from the CSPRNG. */
export const newId = (): string => pick(LOWER, 21);

/** Digits of the time at the beginning of an ordered id. */
export const TIME_DIGITS = 9;

/**
 * Id of a row of a log (events, deliveries, runs, audits, subject tokens, impersonations): 21 characters `[0-9a-z]` too,
 * the time and then 62 random bits. They come and go by the thousand; those made together lie together in every index,
 * and a batch of them touches a few pages and not one each. It is a name, never a secret.
 */
export const newOrderedId = (now: number): string => now.toString(36).padStart(TIME_DIGITS, '0') + pick(LOWER, 12);

/** Id of a user or an organization: 12 characters `[0-9a-z]`. */
export const newShortId = (): string => pick(LOWER, 12);

/** Application secret or webhook signing key: 32 characters `[0-9A-Za-z]`, 190 bits. */
export const newSecret = (): string => pick(ALPHANUMERIC, 32);

/** `sub_` and 256 random bits. Only its hash is ever stored. */
export const newSubjectToken = (): string => `sub_${randomBytes(32).toString('base64url')}`;

/** SHA-256 in base64url. Enough for values that already hold 128 bits of entropy; never for passwords. */
export const hashOf = (value: string): string => hash('sha256', value, 'base64url');
