import { constants } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import sqlite3 from 'sqlite3';
import { readConfig } from '../src/config/index.ts';
import { refuseExisting } from './support/refuse-existing.ts';

export const summary = 'Copy the SQLite database while the service runs, and check the copy.';
export const usage = `--file <path>

  --file <path>   the copy; a file that is there is not overwritten`;

/** One connection, for a few statements of SQLite's own. */
class File implements AsyncDisposable {
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

/** A copy that SQLite finds whole, and that has a database of ours in it. @returns the fingerprint of its secret key */
async function tryCopy(path: string): Promise<string> {
  await using copy = new File(path, sqlite3.OPEN_READONLY);
  const faults = (await copy.all('pragma integrity_check')).map(({ integrity_check: fault }) => fault);
  if (faults.join() !== 'ok') throw new Error(`SQLite finds the copy broken: ${faults.slice(0, 5).join('; ')}`);
  const astray = await copy.all('pragma foreign_key_check');
  if (astray.length > 0) throw new Error(`${astray.length} rows of the copy point to rows that are not there.`);
  const [setting] = await copy.all("select value from service_settings where key = 'secret-key-fingerprint'");
  return String(setting?.value);
}

/**
 * One moment of the database, in a file of its own that appears whole or not at all. The loser, copying the file,
 * misses what is in the write-ahead log and may meet a page half written.
 */
export async function backup(dataDir: string, file: string): Promise<{ bytes: number; fingerprint: string }> {
  const source = join(dataDir, 'understudy.db');
  await access(source, constants.R_OK);
  await refuseExisting(file);
  const draft = `${file}.part`;
  const target = await open(draft, 'wx', 0o600); // `vacuum into` takes an empty file, and leaves its mode.
  try {
    {
      await using database = new File(source, sqlite3.OPEN_READWRITE); // A reader of a write-ahead log writes its index.
      await database.all('vacuum into ?', draft);
    }
    const fingerprint = await tryCopy(draft);
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

/** PostgreSQL has its own tools for it, which know the server's version and follow it. */
const POSTGRES = `The database is PostgreSQL, which backs up with its own tools. The variables are those of the service:

  pg_dump --format=custom --no-owner --file=understudy.dump "$DATABASE_URL"
  pg_restore --list understudy.dump                                  # that it can be read

and to restore it, into an empty database:

  pg_restore --no-owner --exit-on-error --single-transaction --dbname="$DATABASE_URL" understudy.dump

For a point in time rather than a night, archive the server's log (pg_basebackup and WAL archiving), or use what the
provider of the database has. SECRET_KEY is in none of these: keep it apart, and as long as the backup.`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { file: { type: 'string' } } });
  const { databaseUrl, dataDir } = readConfig();
  if (databaseUrl) {
    console.error(POSTGRES);
    process.exitCode = 1; // Nothing was backed up, and whoever runs this by the clock must know.
    return;
  }
  if (!values.file) throw new Error('--file is required');
  const file = resolve(values.file);
  const { bytes, fingerprint } = await backup(dataDir, file);
  console.log(`${file}: ${bytes} bytes, whole.

It opens with the secret key ${fingerprint}, which is not in it: SECRET_KEY, or ${join(dataDir, 'secret.key')}. Keep that
in another place: whoever has both can read every secret, and with one of them lost the other is worth nothing.
To restore: stop the service, put the file in the place of understudy.db in DATA_DIR, remove understudy.db-wal and
understudy.db-shm, and start with that key.`);
}
