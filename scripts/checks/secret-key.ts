import { SecretBox } from '../../src/base/secret-box.ts';
import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/database.ts';
import { sealedColumns } from '../support/sealed-columns.ts';
import { configuredKey } from './configuration.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** True if any value in the database is still encrypted with the previous key. */
async function hasOldValues(database: Database, { prefix }: SecretBox): Promise<boolean> {
  for (const { table, column } of sealedColumns) {
    const old = database.reader(table).whereNotNull(column);
    if (await old.whereRaw('substr(??, 1, ?) <> ?', [column, prefix.length, prefix]).first(column)) return true;
  }
  return false;
}

/** Checks that the key matches the database, and that a key rotation was completed. */
export async function secretKeyFindings(config: Config, database: Database): Promise<Finding[]> {
  const setting = await database.reader('serviceSettings').where({ key: 'secret-key-fingerprint' }).first('value');
  const key = await configuredKey(config);
  if (!key && !setting) return [ok('secret-key', 'the first start will create one in DATA_DIR/secret.key')];
  if (!key)
    return [
      fault(
        'secret-key',
        `The database needs the secret key ${setting.value}, and no key is configured.`,
        'Set SECRET_KEY, or put secret.key back into DATA_DIR. Without the key every secret in the database is lost.',
      ),
    ];
  if (key.length !== 32) return [fault('secret-key', 'secret.key is not 32 bytes in base64.', 'Restore it.')];
  const box = new SecretBox(key, config.previousSecretKey);
  if (setting && ![box.fingerprint, box.previousFingerprint].includes(setting.value))
    return [
      fault(
        'secret-key',
        `The database needs the secret key ${setting.value}, but the configured key is ${box.fingerprint}.`,
        'Configure the key of this database. To rotate the key, see docs/operate.md, "The secret key".',
      ),
    ];
  if (!setting || !(await hasOldValues(database, box))) {
    if (!config.previousSecretKey) return [ok('secret-key', `${box.fingerprint} matches this database`)];
    return [warning('secret-key', 'SECRET_KEY_PREVIOUS is set but no longer needed.', 'Remove it.')];
  }
  return [
    warning(
      'secret-key',
      'Some values in the database are still encrypted with the previous key.',
      'Run npm run cli -- rotate-secret-key with SECRET_KEY_PREVIOUS set.',
    ),
  ];
}
