import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretBox } from '../base/secret-box.ts';
import type { Database } from '../database/database.ts';

export class SecretKeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretKeyError';
  }
}

/** Returns the text of a file, or undefined if there is none. */
export const readIfExists = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Returns the key from `DATA_DIR/secret.key`, which is created at the first start and only readable by its owner. */
export async function loadSecretKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'secret.key');
  const text = await readIfExists(path);
  if (text === undefined) {
    const key = randomBytes(32);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32)
    throw new SecretKeyError(`${path} does not contain 32 bytes in base64. Restore it from a backup.`);
  return key;
}

const SETTING = 'secret-key-fingerprint';

/**
 * Compares the key with the one that the database was created with. Another key could not read the encrypted values,
 * and would write values that the first cannot read. The key can be replaced if the previous one is configured too.
 *
 * @throws {SecretKeyError}
 */
export async function checkFingerprint(database: Database, box: SecretBox): Promise<void> {
  const { fingerprint, previousFingerprint } = box;
  await database.write((db) =>
    db('serviceSettings').insert({ key: SETTING, value: fingerprint }).onConflict('key').ignore(),
  );
  if (previousFingerprint) {
    const replaced = { key: SETTING, value: previousFingerprint };
    await database.write((db) => db('serviceSettings').where(replaced).update({ value: fingerprint }));
  }
  const known = await database.reader('serviceSettings').where({ key: SETTING }).first();
  if (known.value === fingerprint) return;
  throw new SecretKeyError(
    `SECRET_KEY is not the key of this database (the database has the fingerprint ${known.value}, SECRET_KEY has ${fingerprint}). To replace the key, set SECRET_KEY_PREVIOUS to the previous one.`,
  );
}
