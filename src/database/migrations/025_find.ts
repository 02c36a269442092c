import type { Knex } from 'knex';

/** The text after the last space, which in most languages of Europe is the family name. Both databases read it alike. */
const LAST_WORD = `substr(name, length(rtrim(name, replace(name, ' ', ''))) + 1)`;
const isSqlite = (db: Knex): boolean => db.client.dialect === 'sqlite3';

export async function up(db: Knex): Promise<void> {
  const folded = isSqlite(db) ? `${LAST_WORD} collate nocase` : `lower(${LAST_WORD} collate "C")`;
  await db.raw(`create index users_folded_last_word on users (${folded}, tenant_id)`);
  // Partial, because most entries are for tokens that an application got for itself.
  await db.raw(
    'create index audit_log_by_actor on audit_log (tenant_id, actor_id, created_at) where actor_id is not null',
  );
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index audit_log_by_actor');
  await db.raw('drop index users_folded_last_word');
}
