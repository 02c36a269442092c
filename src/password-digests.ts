/** The forms of digests that can be verified: Argon2 as PHC strings, and bcrypt in its own form. */
const FORMS = {
  Argon2i: /^\$argon2i\$v=(?:16|19)\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/,
  Argon2id: /^\$argon2id\$v=(?:16|19)\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/,
  Argon2d: /^\$argon2d\$v=(?:16|19)\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/,
  Bcrypt: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/,
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

/** Returns false if the digest has another form than the named algorithm's, or if verifying it costs more than the ceiling. */
export function isAffordableDigest(digest: string, algorithm: DigestAlgorithm): boolean {
  const [, ...costs] = digest.length > MOST.length ? [] : (FORMS[algorithm].exec(digest) ?? []);
  if (costs.length === 0) return false;
  const [first = 0, passes = 0, lanes = 0] = costs.map(Number);
  if (algorithm === 'Bcrypt') return first <= MOST.bcryptCost;
  const isWithin = first <= MOST.memoryKiB && passes <= MOST.passes && lanes <= MOST.lanes;
  return isWithin && first * passes <= MOST.memoryPasses;
}

/** The same for a stored digest, which an older release may have taken without a ceiling. */
export const canVerify = (digest: string): boolean =>
  digestAlgorithms.some((algorithm) => isAffordableDigest(digest, algorithm));
