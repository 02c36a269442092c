/** The parameters of an Argon2 digest: memory in KiB, passes and lanes. */
const COSTS = String.raw`m=([1-9]\d*),t=([1-9]\d*),p=([1-9]\d*)`;
const argon2 = (name: string): RegExp =>
  new RegExp(String.raw`^\$${name}\$v=(?:16|19)\$${COSTS}\$(?<salt>[A-Za-z0-9+/]+)\$(?<tag>[A-Za-z0-9+/]+)$`);
/** The digest formats that can be verified: Argon2 as PHC strings, and bcrypt in its own format. */
const FORMS = {
  Argon2i: argon2('argon2i'),
  Argon2id: argon2('argon2id'),
  Argon2d: argon2('argon2d'),
  // The last characters of the salt and the tag encode fewer than six bits; the remaining bits are zero.
  Bcrypt: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/,
};
type DigestAlgorithm = keyof typeof FORMS;
export const digestAlgorithms = Object.keys(FORMS) as DigestAlgorithm[];

/**
 * Ceiling of the cost of one verification, about a second of one core, because anyone who knows a username can cause
 * it. Two run at once, so they need half a gigabyte at most. Every preset of OWASP and libsodium fits, except
 * libsodium's "sensitive", which needs a gigabyte.
 */
const MAX = { memoryKiB: 262_144, passes: 10, lanes: 8, memoryPasses: 1_048_576, bcryptCost: 14, length: 192 };

export const digestCeiling = `Argon2 with m at most ${MAX.memoryKiB} KiB, t at most ${MAX.passes}, p at most ${MAX.lanes} and m × t at most ${MAX.memoryPasses} KiB; bcrypt with a cost of at most ${MAX.bcryptCost}; at most ${MAX.length} characters`;

/** RFC 9106 §3.1: at least 8 KiB per lane and a tag of 4 bytes. The library requires a salt of 8 bytes. */
const MIN = { memoryKiBPerLane: 8, saltBytes: 8, tagBytes: 4, bcryptCost: 4 };

/** Returns the number of bytes, or 0 if the text is not canonical Base64 without padding. */
function bytesIn(text = ''): number {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === text ? bytes.length : 0;
}

/** False if the digest does not have the algorithm's format, cannot be verified, or exceeds the cost ceiling. */
export function isAffordableDigest(digest: string, algorithm: DigestAlgorithm): boolean {
  const parts = digest.length > MAX.length ? null : FORMS[algorithm].exec(digest);
  if (!parts) return false;
  const [first = 0, passes = 0, lanes = 0] = parts.slice(1).map(Number);
  if (algorithm === 'Bcrypt') return first >= MIN.bcryptCost && first <= MAX.bcryptCost;
  const { salt, tag } = parts.groups ?? {};
  if (bytesIn(salt) < MIN.saltBytes || bytesIn(tag) < MIN.tagBytes) return false;
  if (first < MIN.memoryKiBPerLane * lanes) return false;
  const isWithin = first <= MAX.memoryKiB && passes <= MAX.passes && lanes <= MAX.lanes;
  return isWithin && first * passes <= MAX.memoryPasses;
}

/** Like `isAffordableDigest`, for a stored digest, which an older release may have accepted without a ceiling. */
export const canVerify = (digest: string): boolean =>
  digestAlgorithms.some((algorithm) => isAffordableDigest(digest, algorithm));
