import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // At most one row per tenant. Without a row the defaults apply.
  await db.schema.createTable('sign_in_settings', (table) => {
    table.string('tenant_id').primary().references('id').inTable('tenants').onDelete('CASCADE');
    table.json('settings').notNullable();
  });

  await db.schema.createTable('connectors', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('target').notNullable();
    table.string('name').notNullable();
    table.string('issuer', 2048).notNullable();
    table.string('client_id', 2048).notNullable();
    table.text('client_secret_encrypted').notNullable();
    table.string('scope', 1024).notNullable();
    // Email domains in lower case. If there are any, the connector is their single sign-on.
    table.json('domains').notNullable();
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.unique(['tenant_id', 'target']);
  });

  // Progress of a user in one interaction of oidc-provider. The id is the interaction's uid.
  await db.schema.createTable('sign_in_progress', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    // Incremented by every step, so that only one of two concurrent requests continues.
    table.integer('version').notNullable();
    table.text('state_encrypted').notNullable();
    table.bigInteger('finished_at');
    table.bigInteger('expires_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['expires_at']);
  });

  await db.schema.createTable('verification_codes', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.text('code_encrypted').notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('spent_at');
    table.bigInteger('expires_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['expires_at']);
  });

  await db.schema.createTable('rate_limits', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('key').notNullable();
    table.integer('points').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.primary(['tenant_id', 'key']);
    table.index(['expires_at']);
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['rate_limits', 'verification_codes', 'sign_in_progress', 'connectors', 'sign_in_settings']) {
    await db.schema.dropTable(table);
  }
}
