/** The forms of digests that can be verified: Argon2 as PHC strings, and bcrypt in its own form. */
const COSTS = String.raw`m=([1-9]\d*),t=([1-9]\d*),p=([1-9]\d*)`;
const argon2 = (name: string): RegExp =>
  new RegExp(String.raw`^\$${name}\$v=(?:16|19)\$${COSTS}\$(?<salt>[A-Za-z0-9+/]+)\$(?<tag>[A-Za-z0-9+/]+)$`);
const FORMS = {
  Argon2i: argon2('argon2i'),
  Argon2id: argon2('argon2id'),
  Argon2d: argon2('argon2d'),
  // The last characters of the salt and of the tag stand for fewer bits than six; the others are zero.
  Bcrypt: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/,
};
export type DigestAlgorithm = keyof typeof FORMS;
export const digestAlgorithms = Object.keys(FORMS) as DigestAlgorithm[];

/**
 * The most that one verification may cost, because anyone who knows a username can ask for it: about a second of one
 * core. Two run at once, so they hold half a gigabyte at most. Every preset of OWASP and libsodium fits, except
 * libsodium's "sensitive" with its gigabyte.
 */
const MOST = { memoryKiB: 262_144, passes: 10, lanes: 8, memoryPasses: 1_048_576, bcryptCost: 14, length: 192 };

export const digestCeiling = `Argon2 with m at most ${MOST.memoryKiB} KiB, t at most ${MOST.passes}, p at most ${MOST.lanes} and m × t at most ${MOST.memoryPasses} KiB; bcrypt with a cost of at most ${MOST.bcryptCost}; at most ${MOST.length} characters`;

/** RFC 9106 §3.1: a lane takes 8 KiB at least, and a tag 4 bytes. The library asks for a salt of 8 bytes. */
const LEAST = { memoryKiBPerLane: 8, saltBytes: 8, tagBytes: 4, bcryptCost: 4 };

/** Returns 0 for what is not Base64 as an encoder writes it, without padding and without bits to spare. */
function bytesIn(text = ''): number {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === text ? bytes.length : 0;
}

/** Returns false if the digest has another form than the named algorithm's, if nothing can verify it, or if that costs more than the ceiling. */
export function isAffordableDigest(digest: string, algorithm: DigestAlgorithm): boolean {
  const parts = digest.length > MOST.length ? null : FORMS[algorithm].exec(digest);
  if (!parts) return false;
  const [first = 0, passes = 0, lanes = 0] = parts.slice(1).map(Number);
  if (algorithm === 'Bcrypt') return first >= LEAST.bcryptCost && first <= MOST.bcryptCost;
  const { salt, tag } = parts.groups ?? {};
  if (bytesIn(salt) < LEAST.saltBytes || bytesIn(tag) < LEAST.tagBytes) return false;
  if (first < LEAST.memoryKiBPerLane * lanes) return false;
  const isWithin = first <= MOST.memoryKiB && passes <= MOST.passes && lanes <= MOST.lanes;
  return isWithin && first * passes <= MOST.memoryPasses;
}

/** The same for a stored digest, which an older release may have taken without a ceiling. */
export const canVerify = (digest: string): boolean =>
  digestAlgorithms.some((algorithm) => isAffordableDigest(digest, algorithm));
