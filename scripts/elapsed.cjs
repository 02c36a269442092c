'use strict';
const { Worker } = require('node:worker_threads');

/** Of a terminal, whose line is written anew; and of a log. */
const EVERY_MS = { terminal: 1_000, log: 30_000 };

/** Runs beside the work, which blocks its thread until a program has ended. */
const TICKER = `
  const { workerData: { what, everyMs, isTerminal, fd } } = require('node:worker_threads');
  const started = Date.now();
  const timeOf = (seconds) => (seconds < 60 ? seconds + ' s' : Math.floor(seconds / 60) + ' min ' + (seconds % 60) + ' s');
  setInterval(() => {
    const line = 'understudy: ' + what + ' ' + timeOf(Math.round((Date.now() - started) / 1000)) + ' so far';
    require('node:fs').writeSync(fd, isTerminal ? '\\r\\u001b[K' + line : line + '\\n');
  }, everyMs);
`;

/**
 * Says how long something has taken so far, again and again, while `work` blocks this thread: compiling may take ten
 * minutes, in which a screen that does not move looks like a program that hangs.
 *
 * @type {<T>(what: string, work: () => T, options?: { everyMs?: number }) => T}
 */
const withElapsed = (what, work, options = {}) => {
  const isTerminal = process.stdout.isTTY === true;
  const everyMs = options.everyMs || (isTerminal ? EVERY_MS.terminal : EVERY_MS.log);
  const worker = new Worker(TICKER, { eval: true, workerData: { what, everyMs, isTerminal, fd: 1 } });
  worker.unref();
  try {
    return work();
  } finally {
    worker.terminate();
    if (isTerminal) process.stdout.write('\r\u001b[K');
  }
};

module.exports = { withElapsed };
