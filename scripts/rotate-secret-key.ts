import type { Database } from '../src/database/connect.ts';
import type { HookRow } from '../src/database/tables.ts';
import type { SecretBox } from '../src/secret-box.ts';
import { checkFingerprint } from '../src/setup/secret-key.ts';
import { hookKeyPurposeOf } from '../src/webhooks/signing-keys.ts';
import { withDatabase } from './support/running-service.ts';
import { type SealedColumn, sealedColumns } from './support/sealed-columns.ts';

export const summary = 'seal everything with SECRET_KEY that SECRET_KEY_PREVIOUS has sealed; the service may run';

/** Rows of one transaction: a larger one would hold SQLite's only writer too long. */
const BATCH = 200;

type Row = Record<string, unknown>;

/** Whatever the service wrote in the meantime is newer, sealed with the new key, and stays. */
async function resealColumn(
  database: Database,
  secrets: SecretBox,
  { table, column, purposeOf }: SealedColumn,
): Promise<number> {
  for (let count = 0; ; ) {
    const rows: Row[] = await database
      .reader(table)
      .whereNotNull(column)
      .whereRaw('substr(??, 1, ?) <> ?', [column, secrets.prefix.length, secrets.prefix])
      .limit(BATCH);
    if (rows.length === 0) return count;
    await database.transaction(async (db) => {
      for (const row of rows) {
        const old = row[column] as string;
        const purpose = purposeOf(row);
        const where = { tenantId: row.tenantId, [column]: old };
        await db(table)
          .where(where)
          .update({ [column]: secrets.seal(secrets.open(old, purpose), purpose) });
      }
    });
    count += rows.length;
  }
}

/** The keys that a webhook had before, which sign until they expire. */
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

/** How many texts were sealed anew. It can be stopped and started again. */
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
  console.log(`${count} values sealed with SECRET_KEY. Nothing needs SECRET_KEY_PREVIOUS any more.`);
}
