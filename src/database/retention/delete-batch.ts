import type { Knex } from 'knex';
import type { Database } from '../database.ts';

/** Rows per delete. A larger batch would block SQLite's single writer for too long. */
export const BATCH = 1_000;

/** Deletes up to `BATCH` matching rows in a transaction of their own. Returns the number of deleted rows. */
export function deleteBatch(
  database: Database,
  table: string,
  matching: (rows: Knex.QueryBuilder) => void,
): Promise<number> {
  const id = database.kind === 'sqlite' ? 'rowid' : 'ctid';
  return database.write((db) => {
    const due = db(table).where(matching).limit(BATCH).select(db.raw(id));
    return db(table)
      .whereIn(db.raw(id) as never, due)
      .delete();
  });
}
