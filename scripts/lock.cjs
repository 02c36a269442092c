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

/** @type {(file: string) => number} 0 when the holder has just let go */
const holderOf = (file) => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);

/**
 * One process at a time works on `folder`; the others wait. The lock is a link to a file that already holds its
 * owner's process id, so there is no instant at which a lock has no owner, and one left by a killed process is taken
 * over. It lies in the temporary folder because installing deletes the folder it guards.
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

  let told = false;
  while (!tryLink(own, lock)) {
    const holder = holderOf(lock);
    if (holder !== 0 && !isAlive(holder)) fs.rmSync(lock, { force: true });
    else if (!told) say(`waiting for process ${holder}, which is installing already ...`);
    told = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  fs.rmSync(own);
  work();
};

module.exports = { withLock };
