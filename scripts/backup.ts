import { constants } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import sqlite3 from 'sqlite3';
import { readConfig } from '../src/config/index.ts';
import { refuseExisting } from './support/refuse-existing.ts';

export const summary = 'Copy the SQLite database while the service runs, and check the copy.';
export const usage = `--file <path>

  --file <path>   where to write the copy; an existing file is not overwritten`;

/** A connection of its own, for a few SQLite-specific statements. */
class SqliteFile implements AsyncDisposable {
  readonly #file: sqlite3.Database;

  constructor(path: string, mode: number) {
    this.#file = new sqlite3.Database(path, mode);
    this.#file.configure('busyTimeout', 30_000);
  }

  all(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return new Promise((done, fail) =>
      this.#file.all(sql, values, (error: Error | null, rows) =>
        error ? fail(error) : done(rows as Record<string, unknown>[]),
      ),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((done) => this.#file.close(() => done()));
  }
}

/**
 * Checks that SQLite finds the copy intact and that it contains an Understudy database.
 *
 * @returns the fingerprint of its secret key
 */
async function verifyCopy(path: string): Promise<string> {
  await using copy = new SqliteFile(path, sqlite3.OPEN_READONLY);
  const faults = (await copy.all('pragma integrity_check')).map(({ integrity_check: fault }) => fault);
  if (faults.join() !== 'ok') throw new Error(`SQLite finds the copy broken: ${faults.slice(0, 5).join('; ')}`);
  const orphans = await copy.all('pragma foreign_key_check');
  if (orphans.length > 0) throw new Error(`${orphans.length} rows of the copy refer to rows that do not exist.`);
  const [setting] = await copy.all("select value from service_settings where key = 'secret-key-fingerprint'");
  return String(setting?.value);
}

/**
 * Writes a consistent snapshot of the database to a file that appears either complete or not at all. Rejected: copying
 * the file. It misses what is in the write-ahead log and may copy a half-written page.
 */
export async function backup(dataDir: string, file: string): Promise<{ bytes: number; fingerprint: string }> {
  const source = join(dataDir, 'understudy.db');
  await access(source, constants.R_OK);
  await refuseExisting(file);
  const draft = `${file}.part`;
  const target = await open(draft, 'wx', 0o600); // `vacuum into` accepts an empty file and keeps its mode.
  try {
    {
      // Reading a write-ahead log needs write access to its index.
      await using database = new SqliteFile(source, sqlite3.OPEN_READWRITE);
      await database.all('vacuum into ?', draft);
    }
    const fingerprint = await verifyCopy(draft);
    await target.sync();
    const { size: bytes } = await stat(draft);
    await rename(draft, file);
    return { bytes, fingerprint };
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await target.close();
  }
}

/** PostgreSQL's own tools know the server's version, so there is no backup of ours. */
const POSTGRES = `The database is PostgreSQL. Back it up with its own tools, with the same DATABASE_URL as the service:

  pg_dump --format=custom --no-owner --file=understudy.dump "$DATABASE_URL"
  pg_restore --list understudy.dump                                  # checks that the dump is readable

To restore it into an empty database:

  pg_restore --no-owner --exit-on-error --single-transaction --dbname="$DATABASE_URL" understudy.dump

For point-in-time recovery use WAL archiving (pg_basebackup), or the backups of your database provider. None of them
contains SECRET_KEY: keep it in another place for as long as you keep the backup.`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { file: { type: 'string' } } });
  const { databaseUrl, dataDir } = readConfig();
  if (databaseUrl) {
    console.error(POSTGRES);
    process.exitCode = 1; // Nothing was backed up, so a scheduled job must see a failure.
    return;
  }
  if (!values.file) throw new Error('--file is required');
  const file = resolve(values.file);
  const { bytes, fingerprint } = await backup(dataDir, file);
  console.log(`${file}: ${bytes} bytes, verified.

The backup needs the secret key ${fingerprint}, which it does not contain: SECRET_KEY, or ${join(dataDir, 'secret.key')}. Keep
the key in another place. Anyone with both can read every secret, and each is useless without the other.
To restore: stop the service, replace understudy.db in DATA_DIR with the file, remove understudy.db-wal and
understudy.db-shm, and start with that key.`);
}
