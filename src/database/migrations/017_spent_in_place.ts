import type { Knex } from 'knex';

/**
 * A subject token changes once, when it is spent, and no index contains the changed column. PostgreSQL writes the new
 * row version to the same page if it has room; otherwise it must update all five indexes.
 */
export async function up(db: Knex): Promise<void> {
  if (db.client.dialect === 'postgresql') await db.raw('alter table subject_tokens set (fillfactor = 50)');
}

export async function down(db: Knex): Promise<void> {
  if (db.client.dialect === 'postgresql') await db.raw('alter table subject_tokens reset (fillfactor)');
}
