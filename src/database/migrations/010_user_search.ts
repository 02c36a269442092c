import type { Knex } from 'knex';

const COLUMNS = ['username', 'primary_email', 'name'];
const isSqlite = (db: Knex): boolean => db.client.dialect === 'sqlite3';

/**
 * Indexes for searches by one field, exact or by prefix, with case folded as in `text-match.ts`. The column comes
 * before the tenant. Rejected: the tenant first. SQLite then uses the index for unrelated lists.
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
