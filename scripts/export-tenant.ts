import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import type { SecretBox } from '../src/base/secret-box.ts';
import type { Database } from '../src/database/database.ts';
import { tenantTables } from '../src/database/tables/index.ts';
import { checkFingerprint } from '../src/setup/secret-key.ts';
import { appliedMigrations, END, FORMAT, type Heading, rowCount } from './support/export-format.ts';
import { Progress } from './support/progress.ts';
import { withDatabase } from './support/running-service.ts';
import { changeSealed } from './support/sealed-columns.ts';
import { readPassphrase, writeSealed } from './support/sealed-file.ts';
import { atOneMoment, rowsOf } from './support/tenant-rows.ts';

export const summary = 'Export a tenant to an encrypted file. The service may be running.';
export const usage = `--tenant <id> --file <path> --passphrase-file <path>

  --tenant <id>              the tenant
  --file <path>              where to write the export; an existing file is not overwritten
  --passphrase-file <path>   a file with the passphrase, or - for standard input`;

interface Export {
  tenantId: string;
  file: string;
  passphrase: string;
  progress?: Progress;
}

async function headingOf(db: Knex, id: string): Promise<Heading> {
  const tenant = await db('tenants').where({ id }).first();
  if (!tenant) throw new Error(`There is no tenant ${id}.`);
  const endpoints: { url: string }[] = await db('tenantEndpoints').where({ tenantId: id }).orderBy('position');
  const counts: Heading['counts'] = {};
  for (const table of tenantTables) {
    const [{ count }] = (await db(table).where({ tenantId: id }).count({ count: '*' })) as [{ count: number }];
    counts[table] = count;
  }
  const migrations = await appliedMigrations(db);
  return { format: FORMAT, migrations, tenant, endpoints: endpoints.map(({ url }) => url), counts };
}

async function* linesOf(database: Database, secrets: SecretBox, db: Knex, { tenantId: id, progress }: Export) {
  const heading = await headingOf(db, id);
  yield `${JSON.stringify(heading)}\n`;
  progress?.start(rowCount(heading));
  for (const table of tenantTables)
    for await (const rows of rowsOf(database, db, table, id)) {
      const opened = rows.map((row) => changeSealed(table, row, (text, purpose) => secrets.open(text, purpose)));
      yield opened.map((row) => `${JSON.stringify([table, row])}\n`).join('');
      progress?.add(rows.length, table);
    }
  progress?.end();
  yield `${END}\n`;
}

/** Writes a consistent snapshot of the tenant to a file that is encrypted with the passphrase. */
export async function exportTenant(database: Database, secrets: SecretBox, what: Export): Promise<void> {
  const { file, passphrase } = what;
  await checkFingerprint(database, secrets);
  await atOneMoment(database, (db) => writeSealed(file, passphrase, linesOf(database, secrets, db, what)));
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { tenant: { type: 'string' }, file: { type: 'string' }, 'passphrase-file': { type: 'string' } },
  });
  const { tenant, file, 'passphrase-file': source } = values;
  if (!tenant || !file || !source) throw new Error('--tenant, --file and --passphrase-file are required');
  const passphrase = await readPassphrase(source);
  const what: Export = { tenantId: tenant, file, passphrase, progress: new Progress() };
  await withDatabase((database, secrets) => exportTenant(database, secrets, what));
  console.log(`Exported tenant ${tenant} to ${file}. Anyone with the passphrase can read every secret in it.`);
}
