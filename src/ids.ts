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

/** Id of a user or an organization: 12 characters `[0-9a-z]`. */
export const newShortId = (): string => pick(LOWER, 12);

/** Application secret or webhook signing key: 32 characters `[0-9A-Za-z]`, 190 bits. */
export const newSecret = (): string => pick(ALPHANUMERIC, 32);

/** `sub_` and 256 random bits. Only its hash is ever stored. */
export const newSubjectToken = (): string => `sub_${randomBytes(32).toString('base64url')}`;

/** SHA-256 in base64url. Enough for values that already hold 128 bits of entropy; never for passwords. */
export const hashOf = (value: string): string => hash('sha256', value, 'base64url');
