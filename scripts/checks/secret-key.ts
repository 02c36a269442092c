import { SecretBox } from '../../src/base/secret-box.ts';
import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/database.ts';
import { sealedColumns } from '../support/sealed-columns.ts';
import { keyInUse } from './configuration.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Whether anything in the database still needs the key before. */
async function stillOld(database: Database, { prefix }: SecretBox): Promise<boolean> {
  for (const { table, column } of sealedColumns) {
    const old = database.reader(table).whereNotNull(column);
    if (await old.whereRaw('substr(??, 1, ?) <> ?', [column, prefix.length, prefix]).first(column)) return true;
  }
  return false;
}

/** Whether the key is the one that the database was made with, and whether a replacement came to its end. */
export async function secretKeyFindings(config: Config, database: Database): Promise<Finding[]> {
  const setting = await database.reader('serviceSettings').where({ key: 'secret-key-fingerprint' }).first('value');
  const key = await keyInUse(config);
  if (!key && !setting) return [ok('secret-key', 'the first start will make one in DATA_DIR/secret.key')];
  if (!key)
    return [
      fault(
        'secret-key',
        `The database was made with the secret key ${setting.value}, and there is none here.`,
        'Set SECRET_KEY, or put secret.key back into DATA_DIR. Without it every secret in the database is lost.',
      ),
    ];
  if (key.length !== 32) return [fault('secret-key', 'secret.key does not hold 32 bytes in base64.', 'Restore it.')];
  const box = new SecretBox(key, config.previousSecretKey);
  if (setting && ![box.fingerprint, box.previousFingerprint].includes(setting.value))
    return [
      fault(
        'secret-key',
        `The database was made with the secret key ${setting.value}; this one is ${box.fingerprint}.`,
        'Use the key of this database. To replace it: docs/operate.md, "The secret key".',
      ),
    ];
  if (!setting || !(await stillOld(database, box))) {
    if (!config.previousSecretKey) return [ok('secret-key', `${box.fingerprint} is the one of this database`)];
    return [warning('secret-key', 'SECRET_KEY_PREVIOUS is set and nothing needs it any more.', 'Start without it.')];
  }
  return [
    warning(
      'secret-key',
      'Some of what is in the database is sealed with the key before this one.',
      'npm run cli -- rotate-secret-key, with SECRET_KEY_PREVIOUS set.',
    ),
  ];
}
