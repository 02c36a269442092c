import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // Partial: refusals are few, so the search is fast and other entries do not pay for the index.
  await db.raw(`create index audit_log_refused on audit_log (tenant_id, created_at, id) where result = 'Error'`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index audit_log_refused');
}
