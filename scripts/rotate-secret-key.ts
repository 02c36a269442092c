import type { SecretBox } from '../src/base/secret-box.ts';
import type { Database } from '../src/database/database.ts';
import type { HookRow } from '../src/database/tables/index.ts';
import { checkFingerprint } from '../src/setup/secret-key.ts';
import { hookKeyPurposeOf } from '../src/webhooks/signatures/signing-keys.ts';
import { withDatabase } from './support/running-service.ts';
import { type SealedColumn, sealedColumns } from './support/sealed-columns.ts';

export const summary =
  'Re-encrypt with SECRET_KEY everything that SECRET_KEY_PREVIOUS encrypted. The service may be running.';

/** Rows per transaction. A larger transaction would block SQLite's only writer too long. */
const BATCH = 200;

type Row = Record<string, unknown>;

/**
 * Re-encrypts one column. Walks along the primary key so that a large table is read once. Values that the service
 * writes in the meantime are already encrypted with the new key and are left alone.
 */
async function resealColumn(
  database: Database,
  secrets: SecretBox,
  { table, column, key, purposeOf }: SealedColumn,
): Promise<number> {
  const columns = ['tenantId', ...key];
  const after = `(${columns.map(() => '??').join(', ')}) > (${columns.map(() => '?').join(', ')})`;
  let last: Row | undefined;
  let count = 0;
  do {
    const rows: Row[] = await database
      .reader(table)
      .modify(
        (query) => last && query.whereRaw(after, [...columns, ...columns.map((name) => last?.[name])] as string[]),
      )
      .orderBy(columns)
      .limit(BATCH);
    const old = rows.filter((row) => row[column] !== null && !(row[column] as string).startsWith(secrets.prefix));
    if (old.length > 0)
      await database.transaction(async (db) => {
        for (const row of old) {
          const purpose = purposeOf(row);
          const text = row[column] as string;
          const unchanged = Object.fromEntries([...columns, column].map((name) => [name, row[name]]));
          await db(table)
            .where(unchanged)
            .update({ [column]: secrets.seal(secrets.open(text, purpose), purpose) });
        }
      });
    count += old.length;
    last = rows.length === BATCH ? rows.at(-1) : undefined;
  } while (last);
  return count;
}

/** Re-encrypts the previous signing secrets of webhooks, which sign until they expire. */
async function resealOldHookKeys(database: Database, secrets: SecretBox): Promise<number> {
  const hooks: HookRow[] = await database.reader('hooks').select('tenantId', 'id', 'signingKeyEncrypted');
  let count = 0;
  for (const { tenantId, id } of hooks) {
    count += await database.transaction(async (db) => {
      const hook = (await db('hooks').where({ tenantId, id }).forUpdate().first()) as HookRow | undefined;
      const old = hook?.oldSigningKeys.filter(
        ({ signingKeyEncrypted }) => !signingKeyEncrypted.startsWith(secrets.prefix),
      );
      if (!hook || !old?.length) return 0;
      const purpose = hookKeyPurposeOf(hook);
      const oldSigningKeys = hook.oldSigningKeys.map(({ signingKeyEncrypted, expiresAt }) => ({
        signingKeyEncrypted: secrets.seal(secrets.open(signingKeyEncrypted, purpose), purpose),
        expiresAt,
      }));
      await db('hooks')
        .where({ tenantId, id })
        .update({ oldSigningKeys: JSON.stringify(oldSigningKeys) });
      return old.length;
    });
  }
  return count;
}

/** Returns the number of re-encrypted values. Safe to interrupt and run again. */
export async function reseal(database: Database, secrets: SecretBox): Promise<number> {
  let count = await resealOldHookKeys(database, secrets);
  for (const column of sealedColumns) count += await resealColumn(database, secrets, column);
  return count;
}

export async function run(): Promise<void> {
  const count = await withDatabase(async (database, secrets) => {
    await checkFingerprint(database, secrets);
    return reseal(database, secrets);
  });
  console.log(`Re-encrypted ${count} values with SECRET_KEY. SECRET_KEY_PREVIOUS is no longer needed.`);
}
