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

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The key of `DATA_DIR/secret.key`, made there at the first start, readable by its owner alone. */
export async function loadSecretKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'secret.key');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) {
    const key = randomBytes(32);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) throw new SecretKeyError(`${path} does not hold 32 bytes in base64`);
  return key;
}

const SETTING = 'secret-key-fingerprint';

/**
 * The database remembers which key it was made with: another would read nothing that is encrypted,
 * and would write what the first cannot read. Whoever also brings the one before may replace it.
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
    `SECRET_KEY is not the one this database was made with (its fingerprint is ${known.value}, the given one's ${fingerprint}). To replace it, set SECRET_KEY_PREVIOUS to the one before.`,
  );
}
