import type { Knex } from 'knex';

const COLUMNS = ['username', 'primary_email', 'name'];
const isSqlite = (db: Knex): boolean => db.client.dialect === 'sqlite3';

/**
 * For searches by one field, exact or by the beginning, with case folded as `text-match.ts` folds it. The column
 * comes before the tenant: with the tenant first SQLite takes such an index for lists that have nothing to do with it.
 */
export async function up(db: Knex): Promise<void> {
  for (const column of COLUMNS) {
    const folded = isSqlite(db) ? `${column} collate nocase` : `lower(${column} collate "C")`;
    await db.raw(`create index users_folded_${column} on users (${folded}, tenant_id)`);
  }
}

export async function down(db: Knex): Promise<void> {
  for (const column of COLUMNS) await db.raw(`drop index users_folded_${column}`);
}
