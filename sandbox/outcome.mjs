/**
 * @typedef {import('./protocol.ts').Failure} Failure
 * @typedef {{ result: 'ok', output: string } | { result: Failure, message: string }} Outcome
 */

/** Letters of the prelude's `take`; `o` is ok and `f` waits for a fetch. @type {Record<string, Failure>} */
const FAILURES = { d: 'denied', t: 'thrown', i: 'invalid-result', l: 'too-large', p: 'invalid-result' };

const PENDING = 'The promise that getCustomJwtClaims returned stays pending: nothing is left that could settle it.';

/**
 * @param {string} taken what the prelude's `take` answered, after the microtasks were drained
 * @param {import('./protocol.ts').Limits} limits
 * @returns {Outcome}
 */
export function outcomeOf(taken, { resultBytes, messageBytes }) {
  const letter = taken.charAt(0);
  const text = letter === 'p' ? PENDING : taken.slice(2);
  if (letter !== 'o') return { result: FAILURES[letter] ?? 'thrown', message: cut(text, messageBytes) };
  if (Buffer.byteLength(text) <= resultBytes) return { result: 'ok', output: text };
  return { result: 'too-large', message: `The result is larger than ${resultBytes} bytes.` };
}

/**
 * The requests of a run that waits for them, or the outcome of one whose requests cannot leave: then that run ends, alone.
 *
 * @param {string} text what the prelude's `requests` answered
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
    // Not JSON: answered below.
  }
  return { result: 'thrown', message: 'The requests of the run cannot be read.' };
}

const isFetchCall = (/** @type {any} */ call) => Number.isInteger(call?.fetch) && typeof call.request === 'string';

/** A script can throw an error with this message too; it is a timeout only when the time is over as well. */
export const saysTimeout = (/** @type {unknown} */ error) =>
  error instanceof Error && error.message === 'Script execution timed out.';

/**
 * An error of compiling or of the top level, in the form the prelude gives to all others.
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

/**
 * Cuts between characters.
 *
 * @param {string} text
 * @param {number} bytes
 */
export function cut(text, bytes) {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
