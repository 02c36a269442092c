'use strict';
const { Worker } = require('node:worker_threads');

/** A terminal's line is overwritten every second. A log gets a new line every 30 s. */
const EVERY_MS = { terminal: 1_000, log: 30_000 };

/** Code for a worker thread, because `work` blocks the main thread until its child process ends. */
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
 * Prints the elapsed time periodically while `work` blocks this thread. Compiling may take ten minutes, and without
 * output the program would seem to hang.
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
