import { createHash, randomBytes, randomInt } from 'node:crypto';

const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

function pick(alphabet: string, length: number): string {
  let text = '';
  for (let index = 0; index < length; index += 1) text += alphabet[randomInt(alphabet.length)];
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
export const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64url');
