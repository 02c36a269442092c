import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // The process that runs work which only one may run at a time. Times are from the database's clock.
  await db.schema.createTable('leases', (table) => {
    table.string('name').primary();
    table.string('holder').notNullable();
    table.bigInteger('expires_at').notNullable();
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('leases');
}
