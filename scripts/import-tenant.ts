import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { endpointsInUse } from '../src/admin/endpoints.ts';
import type { SecretBox } from '../src/base/secret-box.ts';
import { readConfig } from '../src/config/index.ts';
import type { Database } from '../src/database/database.ts';
import { lockDataDir } from '../src/database/drivers/process-lock.ts';
import { migrate } from '../src/database/migrate.ts';
import { encode, insertMany } from '../src/database/statements/insert-many.ts';
import type { Table } from '../src/database/tables/index.ts';
import { tenantTables } from '../src/database/tables/index.ts';
import { checkFingerprint } from '../src/setup/secret-key.ts';
import { sealStoredHeaders } from '../src/webhooks/sending/hook-headers.ts';
import { appliedMigrations, END, FORMAT, type Heading, rowCount } from './support/export-format.ts';
import { Progress } from './support/progress.ts';
import { withDatabase, withReadableErrors } from './support/running-service.ts';
import { changeSealed } from './support/sealed-columns.ts';
import { readPassphrase, readSealed } from './support/sealed-file.ts';
import type { Row } from './support/tenant-rows.ts';

export const summary =
  'Import a tenant from a file of export-tenant, completely or not at all. The service must not run on SQLite.';
export const usage = `--file <path> --passphrase-file <path>

  --file <path>              the export
  --passphrase-file <path>   a file with its passphrase, or - for standard input`;

/** Rows per insert. */
const BATCH = 200;

async function requireCompatible(db: Knex, { format, migrations, tenant, endpoints }: Heading): Promise<void> {
  if (format !== FORMAT) throw new Error('The file has the format of another release.');
  const own = await appliedMigrations(db);
  if (migrations.join() !== own.join())
    throw new Error(
      `The file is from a database with migrations up to ${migrations.at(-1)}; this one has migrations up to ${own.at(-1)}. Upgrade both to the same release first.`,
    );
  if (await db('tenants').where({ id: tenant.id }).first('id'))
    throw new Error(
      `Tenant ${tenant.id} already exists. An imported tenant keeps its id, so import it into a database without that tenant.`,
    );
  const taken = await endpointsInUse(db, tenant.id, endpoints);
  if (taken.length > 0) throw new Error(`Another tenant is served at ${taken.join(', ')}.`);
}

/** Yields batches of rows, each of one table, in the order of the file. Throws if the file is incomplete. */
async function* batchesIn(lines: AsyncIterable<string>): AsyncIterable<[Table, Row[]]> {
  let table: Table | undefined;
  let rows: Row[] = [];
  let isWhole = false;
  for await (const line of lines) {
    isWhole = line === END;
    if (isWhole) continue;
    const [next, row] = JSON.parse(line) as [Table, Row];
    if (table !== undefined && (next !== table || rows.length === BATCH)) {
      yield [table, rows];
      rows = [];
    }
    if (!tenantTables.includes(next)) throw new Error(`The file has rows of the unknown table ${next}.`);
    table = next;
    rows.push(row);
  }
  if (!isWhole) throw new Error('The file is incomplete: its end is missing.');
  if (table !== undefined) yield [table, rows];
}

interface Import {
  file: string;
  passphrase: string;
  progress?: Progress;
}

async function insertAll(
  database: Database,
  secrets: SecretBox,
  db: Knex,
  { file, passphrase, progress }: Import,
): Promise<string> {
  const lines = readSealed(file, passphrase);
  const iterator = lines[Symbol.asyncIterator]();
  const heading = JSON.parse((await iterator.next()).value) as Heading;
  await requireCompatible(db, heading);
  const { tenant, endpoints, counts } = heading;
  await db('tenants').insert(encode(tenant));
  await db('tenantEndpoints').insert(endpoints.map((url, position) => ({ url, tenantId: tenant.id, position })));

  progress?.start(rowCount(heading));
  const inserted: Heading['counts'] = Object.fromEntries(tenantTables.map((table) => [table, 0]));
  for await (const [table, rows] of batchesIn({ [Symbol.asyncIterator]: () => iterator })) {
    const sealed = rows.map((row) => {
      const own = { ...row, tenantId: tenant.id };
      return changeSealed(table, own, (text, purpose) => secrets.seal(text, purpose));
    });
    await insertMany(db, database.kind, table, sealed);
    inserted[table] = (inserted[table] ?? 0) + rows.length;
    progress?.add(rows.length, table);
  }
  progress?.end();
  for (const table of tenantTables)
    if (inserted[table] !== (counts[table] ?? 0))
      throw new Error(`The file is incomplete: rows of ${table} are missing.`);
  return tenant.id;
}

/** Imports the whole file in one transaction: if anything fails, nothing is imported. */
export async function importTenant(database: Database, secrets: SecretBox, what: Import): Promise<string> {
  await checkFingerprint(database, secrets);
  const id = await database.transaction((db) => insertAll(database, secrets, db, what));
  // The export may be from a database that no service of this release has started on, with headers still in plain text.
  await sealStoredHeaders(database, secrets);
  return id;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { file: { type: 'string' }, 'passphrase-file': { type: 'string' } } });
  const { file, 'passphrase-file': source } = values;
  if (!file || !source) throw new Error('--file and --passphrase-file are required');
  const passphrase = await readPassphrase(source);
  const { databaseUrl, databaseDirectUrl, dataDir } = readConfig();
  // The import needs SQLite's only writer, so the service must not run.
  const unlock = databaseUrl ? undefined : await lockDataDir(dataDir);
  try {
    await withReadableErrors(() => migrate({ databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 }));
    const what: Import = { file, passphrase, progress: new Progress() };
    const id = await withDatabase((database, secrets) => importTenant(database, secrets, what));
    console.log(`Imported tenant ${id}. It is served as soon as its endpoints lead to this service.`);
  } finally {
    await unlock?.();
  }
}
