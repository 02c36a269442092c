import { readdirSync, readFileSync } from 'node:fs';

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Read while this process may still read its own folder. */
const PRELUDE = read('prelude.js');
const GLOBALS = readdirSync(new URL('globals/', import.meta.url))
  .sort()
  .map((name) => read(`globals/${name}`))
  .join('\n');

/**
 * The text that starts every context: each file declares functions, which V8 compiles when they are first called, so a
 * web global that a script does not touch costs it nothing.
 *
 * @param {import('./protocol.ts').RunnerSettings} settings
 */
export const composePrelude = ({ limits, fetch }) =>
  `(() => { 'use strict';\n${GLOBALS}\n${PRELUDE}\nreturn prelude(${JSON.stringify(limits)}, ${fetch}); })()`;
