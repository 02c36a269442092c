'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/** @type {(pid: number) => boolean} */
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
};

/** @type {(from: string, to: string) => boolean} */
const tryLink = (from, to) => {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
};

/** Returns the process id of the holder, or 0 if it has just released the lock. @type {(file: string) => number} */
const holderOf = (file) => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);

/**
 * Runs `work` while holding a lock on `folder`; other processes wait. The lock is a hard link to a file that already
 * contains its owner's process id, so a lock always has an owner, and the lock of a killed process is taken over. It is
 * in the temporary folder because an install deletes the folder it protects.
 *
 * @type {(folder: string, say: (line: string) => void, work: () => void) => void}
 */
const withLock = (folder, say, work) => {
  const lock = path.join(
    os.tmpdir(),
    `understudy-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.lock`,
  );
  const own = `${lock}.${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
  process.on('exit', () => {
    fs.rmSync(own, { force: true });
    if (holderOf(lock) === process.pid) fs.rmSync(lock);
  });

  let reported = false;
  while (!tryLink(own, lock)) {
    const holder = holderOf(lock);
    if (holder !== 0 && !isAlive(holder)) fs.rmSync(lock, { force: true });
    else if (!reported) say(`waiting for process ${holder}, which is installing ...`);
    reported = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  fs.rmSync(own);
  work();
};

module.exports = { withLock };
