import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // A tenant's settings by topic: `impersonation`, `sandbox`. Without a row the defaults apply.
  await db.schema.createTable('configs', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('key').notNullable();
    table.json('settings').notNullable();
    table.primary(['tenant_id', 'key']);
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('configs');
}
