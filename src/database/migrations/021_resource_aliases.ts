import type { Knex } from 'knex';

/** Additional indicators of a resource: previous ones that clients still send. */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('resource_aliases', (table) => {
    table.string('tenant_id').notNullable();
    table.string('indicator', 2_048).notNullable();
    table.string('resource_id').notNullable();
    table.primary(['tenant_id', 'indicator']);
    table.index(['tenant_id', 'resource_id']);
    table
      .foreign(['tenant_id', 'resource_id'])
      .references(['tenant_id', 'id'])
      .inTable('resources')
      .onDelete('CASCADE');
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('resource_aliases');
}
