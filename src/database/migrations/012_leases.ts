import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // Which process does a work that only one may do at a time. By the clock of the database.
  await db.schema.createTable('leases', (table) => {
    table.string('name').primary();
    table.string('holder').notNullable();
    table.bigInteger('expires_at').notNullable();
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('leases');
}
