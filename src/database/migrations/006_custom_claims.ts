import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // Immutable: a change creates a new version, and activating one moves a pointer.
  await db.schema.createTable('script_versions', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('token_type').notNullable(); // access-token or client-credentials.
    table.integer('number').notNullable();
    table.text('script').notNullable();
    table.string('sha256').notNullable();
    table.text('environment_encrypted');
    table.json('token_sample');
    table.json('context_sample');
    table.boolean('block_issuance_on_error').notNullable();
    table.boolean('record_inputs').notNullable().defaultTo(false);
    table.string('author_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'token_type', 'number']);
  });

  await db.schema.createTable('active_scripts', (table) => {
    table.string('tenant_id').notNullable();
    table.string('token_type').notNullable();
    table.integer('number').notNullable();
    table.primary(['tenant_id', 'token_type']);
    table
      .foreign(['tenant_id', 'token_type', 'number'])
      .references(['tenant_id', 'token_type', 'number'])
      .inTable('script_versions')
      .onDelete('CASCADE');
  });

  await db.schema.createTable('script_runs', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('token_type').notNullable();
    table.integer('number').notNullable();
    table.string('result').notNullable();
    table.text('message');
    table.integer('wall_ms').notNullable();
    table.integer('cpu_ms').notNullable();
    table.json('dropped_claims').notNullable();
    table.json('console').notNullable();
    table.string('user_id');
    table.string('jti');
    table.text('input_encrypted'); // Set only if the version records inputs. Never contains a token.
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'token_type', 'created_at', 'id']);
    table.index(['created_at']);
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['script_runs', 'active_scripts', 'script_versions']) await db.schema.dropTable(table);
}
