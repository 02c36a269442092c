import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // The logo, the dark logo and the favicon of a tenant's sign-in pages.
  await db.schema.createTable('sign_in_images', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('name').notNullable();
    table.string('file').notNullable();
    table.text('content').notNullable();
    table.primary(['tenant_id', 'name']);
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('sign_in_images');
}
