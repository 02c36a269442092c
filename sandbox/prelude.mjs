import { readdirSync, readFileSync } from 'node:fs';

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Read at load time, while this process may still read its own folder. */
const PRELUDE = read('prelude.js');
const GLOBALS = readdirSync(new URL('globals/', import.meta.url))
  .sort()
  .map((name) => read(`globals/${name}`))
  .join('\n');

/**
 * Returns the source that runs first in every context. Its files only declare functions, which V8 compiles on their first call, so
 * unused web globals cost nothing.
 *
 * @param {import('./protocol.ts').RunnerSettings} settings
 */
export const composePrelude = ({ limits, fetch }) =>
  `(() => { 'use strict';\n${GLOBALS}\n${PRELUDE}\nreturn prelude(${JSON.stringify(limits)}, ${fetch}); })()`;
