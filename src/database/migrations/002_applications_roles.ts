import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('applications', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('name', 256).notNullable();
    table.text('description');
    table.string('type').notNullable();
    table.json('oidc_client_metadata').notNullable();
    table.json('custom_client_metadata').notNullable();
    table.json('custom_data').notNullable();
    table.boolean('is_third_party').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'created_at', 'id']);
  });

  await db.schema.createTable('application_secrets', (table) => {
    table.string('tenant_id').notNullable();
    table.string('application_id').notNullable();
    table.string('name', 256).notNullable();
    table.text('value_encrypted').notNullable(); // Encrypted, not hashed: the API lists the values.
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at');
    table.primary(['tenant_id', 'application_id', 'name']);
    table
      .foreign(['tenant_id', 'application_id'])
      .references(['tenant_id', 'id'])
      .inTable('applications')
      .onDelete('CASCADE');
  });

  await db.schema.createTable('resources', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('name').notNullable();
    table.string('indicator', 2048).notNullable();
    table.boolean('is_default').notNullable().defaultTo(false);
    table.integer('access_token_ttl').notNullable().defaultTo(3600);
    table.primary(['tenant_id', 'id']);
    table.unique(['tenant_id', 'indicator']);
  });

  await db.schema.createTable('scopes', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('resource_id').notNullable();
    table.string('name', 256).notNullable();
    table.text('description');
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.unique(['tenant_id', 'resource_id', 'name']);
    table
      .foreign(['tenant_id', 'resource_id'])
      .references(['tenant_id', 'id'])
      .inTable('resources')
      .onDelete('CASCADE');
  });

  await db.schema.createTable('roles', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('name').notNullable();
    table.string('description').notNullable();
    table.string('type').notNullable();
    table.boolean('is_default').notNullable().defaultTo(false);
    table.primary(['tenant_id', 'id']);
    table.unique(['tenant_id', 'name']);
  });

  await db.schema.createTable('role_scopes', (table) => {
    table.string('tenant_id').notNullable();
    table.string('role_id').notNullable();
    table.string('scope_id').notNullable();
    table.primary(['tenant_id', 'role_id', 'scope_id']);
    table.index(['tenant_id', 'scope_id']);
    // The tenant is part of both keys, so a role cannot contain a scope of another tenant.
    table.foreign(['tenant_id', 'role_id']).references(['tenant_id', 'id']).inTable('roles').onDelete('CASCADE');
    table.foreign(['tenant_id', 'scope_id']).references(['tenant_id', 'id']).inTable('scopes').onDelete('CASCADE');
  });

  await db.schema.createTable('user_roles', (table) => {
    table.string('tenant_id').notNullable();
    table.string('user_id').notNullable();
    table.string('role_id').notNullable();
    table.primary(['tenant_id', 'user_id', 'role_id']);
    table.index(['tenant_id', 'role_id']);
    table.foreign(['tenant_id', 'user_id']).references(['tenant_id', 'id']).inTable('users').onDelete('CASCADE');
    table.foreign(['tenant_id', 'role_id']).references(['tenant_id', 'id']).inTable('roles').onDelete('CASCADE');
  });

  await db.schema.createTable('application_roles', (table) => {
    table.string('tenant_id').notNullable();
    table.string('application_id').notNullable();
    table.string('role_id').notNullable();
    table.primary(['tenant_id', 'application_id', 'role_id']);
    table.index(['tenant_id', 'role_id']);
    table
      .foreign(['tenant_id', 'application_id'])
      .references(['tenant_id', 'id'])
      .inTable('applications')
      .onDelete('CASCADE');
    table.foreign(['tenant_id', 'role_id']).references(['tenant_id', 'id']).inTable('roles').onDelete('CASCADE');
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of [
    'application_roles',
    'user_roles',
    'role_scopes',
    'roles',
    'scopes',
    'resources',
    'application_secrets',
    'applications',
  ]) {
    await db.schema.dropTable(table);
  }
}
