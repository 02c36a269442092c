import type { Knex } from 'knex';
import type { Database } from '../../src/database/database.ts';
import { snakeCase } from '../../src/database/drivers/names.ts';
import type { Table } from '../../src/database/tables/index.ts';

export type Row = Record<string, unknown>;

/** Rows in memory at a time. An event may be 256 KiB. */
const BATCH = 200;

/** Runs `work` on a consistent snapshot while other processes continue to write. */
export function atOneMoment<T>(database: Database, work: (db: Knex) => Promise<T>): Promise<T> {
  const isolation = database.kind === 'postgres' ? { isolationLevel: 'repeatable read', readOnly: true } : {};
  return database.reader.transaction(work, isolation as Knex.TransactionConfig);
}

async function* byRowid(db: Knex, table: Table, tenantId: string): AsyncIterable<Row[]> {
  for (let last = 0; ; ) {
    const rows: Row[] = await db(table)
      .select('*', 'rowid')
      .where({ tenantId })
      .where('rowid', '>', last)
      .orderBy('rowid')
      .limit(BATCH);
    if (rows.length === 0) return;
    last = rows.at(-1)?.rowid as number;
    yield rows.map(({ rowid: _, ...row }) => row);
  }
}

async function* byCursor(db: Knex, table: Table, tenantId: string): AsyncIterable<Row[]> {
  await db.raw(`declare tenant_rows no scroll cursor for select * from ${snakeCase(table)} where tenant_id = ?`, [
    tenantId,
  ]);
  for (;;) {
    const rows = (await db.raw(`fetch ${BATCH} from tenant_rows`)) as unknown as Row[];
    if (rows.length === 0) break;
    yield rows;
  }
  await db.raw('close tenant_rows');
}

/** Yields a tenant's rows in batches, so memory does not grow with the number of rows. */
export function rowsOf(database: Database, db: Knex, table: Table, tenantId: string): AsyncIterable<Row[]> {
  return database.kind === 'sqlite' ? byRowid(db, table, tenantId) : byCursor(db, table, tenantId);
}
