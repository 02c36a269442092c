import type { Knex } from 'knex';

/**
 * Disabling or deleting a webhook changes only its own row. Its deliveries are cancelled or removed later, in batches.
 * Rejected: a foreign key, which removes all of them in the transaction of the deletion, while every other write on
 * SQLite waits.
 */
export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('hooks', (table) => {
    table.integer('times_disabled').notNullable().defaultTo(0);
  });
  await db.schema.alterTable('deliveries', (table) => {
    // The webhook's value when the delivery was created. If less than its current one, the delivery is cancelled.
    table.integer('times_disabled').notNullable().defaultTo(0);
  });
  await db.schema.alterTable('deliveries', (table) => {
    table.dropForeign(['tenant_id', 'hook_id']);
  });
  if (db.client.dialect === 'sqlite3') await referToEvents(db);
  // A webhook that was disabled or deleted, and whose deliveries are not updated yet.
  await db.schema.createTable('clearings', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('hook_id').notNullable();
    table.primary(['tenant_id', 'id']);
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('clearings');
  await db.raw(`delete from deliveries where not exists (
    select 1 from hooks where hooks.tenant_id = deliveries.tenant_id and hooks.id = deliveries.hook_id)`);
  await db.raw(`update deliveries set state = 'cancelled', due_at = null where state = 'waiting' and times_disabled < (
    select times_disabled from hooks where hooks.tenant_id = deliveries.tenant_id and hooks.id = deliveries.hook_id)`);
  await db.schema.alterTable('deliveries', (table) => {
    table.foreign(['tenant_id', 'hook_id']).references(['tenant_id', 'id']).inTable('hooks').onDelete('CASCADE');
  });
  await db.schema.alterTable('deliveries', (table) => table.dropColumn('times_disabled'));
  await db.schema.alterTable('hooks', (table) => table.dropColumn('times_disabled'));
}

/** On SQLite these foreign keys have no names, and Knex drops all that share a column with the one to drop. */
async function referToEvents(db: Knex): Promise<void> {
  await db.schema.alterTable('deliveries', (table) => {
    table.foreign(['tenant_id', 'event_id']).references(['tenant_id', 'id']).inTable('events').onDelete('CASCADE');
  });
}
