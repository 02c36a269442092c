import type { Knex } from 'knex';

/** Deleting an application revokes its impersonations, which must not read those of the whole tenant. */
export async function up(db: Knex): Promise<void> {
  await db.raw('create index impersonations_by_application on impersonations (tenant_id, application_id, issued_at)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index impersonations_by_application');
}
