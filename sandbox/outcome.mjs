/**
 * @typedef {import('./protocol.ts').Failure} Failure
 * @typedef {{ result: 'ok', output: string } | { result: Failure, message: string }} Outcome
 */

/** Failures by letter of the prelude's `state`. Besides these, `o` means ok and `f` means waiting for a fetch. @type {Record<string, Failure>} */
const FAILURES = { d: 'denied', t: 'thrown', i: 'invalid-result', l: 'too-large', p: 'invalid-result' };

const PENDING = 'The promise that getCustomJwtClaims returned never settles: nothing is left that could resolve it.';

/**
 * @param {string} state result of the prelude's `state`, after the microtasks were drained
 * @param {import('./protocol.ts').Limits} limits
 * @returns {Outcome}
 */
export function outcomeOf(state, { resultBytes, messageBytes }) {
  const letter = state.charAt(0);
  const text = letter === 'p' ? PENDING : state.slice(2);
  if (letter !== 'o') return { result: FAILURES[letter] ?? 'thrown', message: truncate(text, messageBytes) };
  if (Buffer.byteLength(text) <= resultBytes) return { result: 'ok', output: text };
  return { result: 'too-large', message: `The result is larger than ${resultBytes} bytes.` };
}

/**
 * Returns the fetch requests of a waiting run. If they are too large or malformed, returns the outcome with which this run alone ends.
 *
 * @param {string} text result of the prelude's `requests`
 * @param {import('./protocol.ts').Limits} limits
 * @returns {{ fetches: import('./protocol.ts').FetchCall[] } | Outcome}
 */
export function requestsOf(text, { requestsBytes }) {
  if (Buffer.byteLength(text) > requestsBytes)
    return { result: 'too-large', message: `The requests of the run are larger than ${requestsBytes} bytes.` };
  try {
    const fetches = JSON.parse(text);
    if (Array.isArray(fetches) && fetches.every(isFetchCall)) return { fetches };
  } catch {
    // Not JSON: reported below.
  }
  return { result: 'thrown', message: 'The requests of the run cannot be read.' };
}

const isFetchCall = (/** @type {any} */ call) => Number.isInteger(call?.fetch) && typeof call.request === 'string';

/** True if the error looks like a timeout. A script can throw the same message, so the caller also checks the time. */
export const saysTimeout = (/** @type {unknown} */ error) =>
  error instanceof Error && error.message === 'Script execution timed out.';

/**
 * Describes an error of compilation or of the top level in the same form as the prelude describes all others.
 *
 * @param {unknown} error copied out of the isolate: an Error of this process, or a primitive
 * @returns {{ message: string, line?: number, column?: number }}
 */
export function describe(error) {
  if (!(error instanceof Error)) return { message: String(error) };
  const text = `${error.name}: ${error.message.replace(/ \[claims\.js:\d+:\d+\]$/, '')}`;
  const [, line, column] = /claims\.js:(\d+):(\d+)/.exec(`${error.message}\n${error.stack}`) ?? [];
  if (!line || !column) return { message: text };
  return { message: `${text} (line ${line}, column ${column})`, line: Number(line), column: Number(column) };
}

/** Truncates to this many UTF-8 bytes, never within a character. @param {string} text @param {number} bytes */
export function truncate(text, bytes) {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
