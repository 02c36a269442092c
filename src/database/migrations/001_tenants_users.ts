import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('service_settings', (table) => {
    table.string('key').primary();
    table.text('value').notNullable();
  });

  await db.schema.createTable('tenants', (table) => {
    table.string('id').primary();
    table.string('name').notNullable();
    table.boolean('is_suspended').notNullable().defaultTo(false);
    table.json('settings').notNullable();
    // Incremented by changes of keys, endpoints and settings. A process that sees a new value rebuilds its provider.
    table.bigInteger('version').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
  });

  await db.schema.createTable('tenant_endpoints', (table) => {
    table.string('url', 512).primary();
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    // The first endpoint is the canonical one, and determines the issuer.
    table.integer('position').notNullable();
    table.index(['tenant_id']);
  });

  await db.schema.createTable('users', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('username');
    table.string('primary_email');
    table.string('primary_phone');
    table.string('name');
    table.string('avatar', 2048);
    table.text('password_hash');
    table.json('custom_data').notNullable();
    table.json('profile').notNullable();
    table.string('application_id');
    table.boolean('is_suspended').notNullable().defaultTo(false);
    table.bigInteger('last_sign_in_at');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.unique(['tenant_id', 'username']);
    table.unique(['tenant_id', 'primary_email']);
    table.unique(['tenant_id', 'primary_phone']);
    table.index(['tenant_id', 'created_at', 'id']);
  });

  await db.schema.createTable('user_identities', (table) => {
    table.string('tenant_id').notNullable();
    table.string('user_id').notNullable();
    table.string('target').notNullable();
    table.string('external_id').notNullable();
    table.boolean('is_sso').notNullable().defaultTo(false);
    table.json('details').notNullable();
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'user_id', 'target']);
    table.unique(['tenant_id', 'target', 'external_id']);
    table.foreign(['tenant_id', 'user_id']).references(['tenant_id', 'id']).inTable('users').onDelete('CASCADE');
  });

  await db.schema.createTable('user_factors', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('user_id').notNullable();
    table.string('type').notNullable(); // Totp, WebAuthn or BackupCode.
    table.text('secret_encrypted').notNullable();
    table.json('details').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at');
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'user_id']);
    table.foreign(['tenant_id', 'user_id']).references(['tenant_id', 'id']).inTable('users').onDelete('CASCADE');
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['user_factors', 'user_identities', 'users', 'tenant_endpoints', 'tenants', 'service_settings']) {
    await db.schema.dropTable(table);
  }
}
