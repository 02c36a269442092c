import type { Knex } from 'knex';

/**
 * A subject token is changed once, when it is spent, and no index holds what changes. On PostgreSQL the new version of
 * the row lies beside the old one where its page has room; where it has not, all five indexes are written again.
 */
export async function up(db: Knex): Promise<void> {
  if (db.client.dialect === 'postgresql') await db.raw('alter table subject_tokens set (fillfactor = 50)');
}

export async function down(db: Knex): Promise<void> {
  if (db.client.dialect === 'postgresql') await db.raw('alter table subject_tokens reset (fillfactor)');
}
