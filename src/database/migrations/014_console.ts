import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // A user of the default tenant, and a tenant they may manage.
  await db.schema.createTable('administrators', (table) => {
    table.string('tenant_id').notNullable();
    table.string('user_id').notNullable();
    table.string('managed_tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'user_id', 'managed_tenant_id']);
    table.foreign(['tenant_id', 'user_id']).references(['tenant_id', 'id']).inTable('users').onDelete('CASCADE');
  });

  // The id is the hash of the secret in the link.
  await db.schema.createTable('administrator_links', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.json('managed_tenant_ids').notNullable();
    table.bigInteger('spent_at');
    table.bigInteger('expires_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['expires_at']);
  });

  // The id is the hash of the cookie.
  await db.schema.createTable('console_sessions', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('user_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'user_id']);
    table.index(['expires_at']);
    table.foreign(['tenant_id', 'user_id']).references(['tenant_id', 'id']).inTable('users').onDelete('CASCADE');
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['console_sessions', 'administrator_links', 'administrators']) await db.schema.dropTable(table);
}
