import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';

export class DatabaseInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `${join(dataDir, 'understudy.db')} is in use by another running process. SQLite serves one; set DATABASE_URL to run several on PostgreSQL.`,
    );
    this.name = 'DatabaseInUseError';
  }
}

/**
 * Makes this process the only server on a SQLite file until it exits. The lock is an exclusive transaction on a file
 * next to the database, which the operating system releases even if the process is killed. Rejected: a file with a
 * process id, which a killed process leaves behind.
 *
 * @returns a function that releases the lock
 * @throws {DatabaseInUseError}
 */
export function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return new Promise((resolve, reject) => {
    const lock = new sqlite3.Database(join(dataDir, 'server.lock'), (openError) => {
      if (openError) return reject(openError);
      lock.exec('pragma busy_timeout = 0; begin exclusive', (error: (Error & { code?: string }) | null) => {
        if (!error) return resolve(() => new Promise((done) => lock.close(() => done())));
        lock.close(() => reject(error.code === 'SQLITE_BUSY' ? new DatabaseInUseError(dataDir) : error));
      });
    });
  });
}
