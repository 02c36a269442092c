import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // Partial: who looks for what was refused looks among few, and the many others pay nothing for it.
  await db.raw(`create index audit_log_refused on audit_log (tenant_id, created_at, id) where result = 'Error'`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index audit_log_refused');
}
