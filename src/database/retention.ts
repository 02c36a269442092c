import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { tables, tenantTables } from './tables/index.ts';

/** Rows per delete. A larger batch would block SQLite's single writer for too long. */
const BATCH_ROWS = 1_000;

/** Deletes the matching rows of all tenants, 1,000 at a time, each batch in a transaction of its own. */
export async function deleteInBatches(
  database: Database,
  table: string,
  matching: (rows: Knex.QueryBuilder) => void,
): Promise<void> {
  const id = database.kind === 'sqlite' ? 'rowid' : 'ctid';
  const deleteBatch = (): Promise<number> =>
    database.write((db) => {
      const due = db(table).where(matching).limit(BATCH_ROWS).select(id);
      return db(table).whereIn(id, due).delete();
    });
  while ((await deleteBatch()) === BATCH_ROWS);
}

/** Deletes expired rows of all tenants. */
export async function sweepExpired(database: Database, now: number): Promise<void> {
  for (const table of tenantTables)
    for (const [column, { keptMs }] of Object.entries(tables[table].columns))
      if (keptMs !== undefined) await deleteInBatches(database, table, (rows) => rows.where(column, '<', now - keptMs));
}

/**
 * Removes the rows of deleted tenants, which are those without an endpoint. Deletes children first and the tenant last,
 * so that an interrupted removal is found again and continues.
 */
export async function removeDeletedTenants(database: Database): Promise<void> {
  const { reader } = database;
  const deleted: { id: string }[] = await reader('tenants')
    .whereNotIn('id', reader('tenantEndpoints').select('tenantId'))
    .select('id');
  for (const { id } of deleted) {
    for (const table of tenantTables.toReversed()) {
      const rest = () => reader(table).where({ tenantId: id }).first('tenantId');
      while (await rest()) await deleteInBatches(database, table, (rows) => rows.where({ tenantId: id }));
    }
    await database.write((db) => db('tenants').where({ id }).delete());
  }
}
