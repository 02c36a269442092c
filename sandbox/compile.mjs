import { Isolate } from './isolate.mjs';
import { describe, saysTimeout, truncate } from './outcome.mjs';

/**
 * Checks a script before it is saved: compiles it, evaluates its top level and looks for the function, in a separate isolate.
 *
 * @param {{ source: string, timeoutMs: number, memoryMb: number }} request
 * @param {string} prelude
 * @param {import('./protocol.ts').Limits} limits
 * @returns {{ ok: true } | { ok: false, message: string, line?: number, column?: number }}
 */
export function compile({ source, timeoutMs, memoryMb }, prelude, { messageBytes }) {
  /** @type {Isolate | undefined} */
  let isolate;
  try {
    isolate = new Isolate({ prelude, source: '', memoryMb });
    isolate.check(source);
    isolate.dispose();
    isolate = new Isolate({ prelude, source, memoryMb });
    const realm = isolate.newRealm();
    realm.evaluate(timeoutMs);
    if (realm.call('defined', [], timeoutMs) === '1') return { ok: true };
    return { ok: false, message: 'The script defines no function getCustomJwtClaims.' };
  } catch (error) {
    if (isolate?.isDisposed) return { ok: false, message: `The script needs more than ${memoryMb} MB.` };
    if (saysTimeout(error)) return { ok: false, message: 'The top level of the script does not end.' };
    const { message, ...place } = describe(error);
    return { ok: false, message: truncate(message, messageBytes), ...place };
  } finally {
    isolate?.dispose();
  }
}
