import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // No foreign key except the tenant: audit entries outlive the rows they refer to.
  await db.schema.createTable('audit_log', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('key').notNullable();
    table.string('result').notNullable(); // Success or Error.
    table.string('application_id');
    table.string('user_id'); // The affected user: the subject of an impersonation, or the user who was changed.
    table.string('actor_id'); // The acting user, if any.
    table.string('ip');
    table.string('user_agent', 512);
    table.string('request_id');
    table.json('payload').notNullable();
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'created_at', 'id']);
    table.index(['tenant_id', 'application_id', 'created_at']);
    table.index(['tenant_id', 'key', 'created_at']);
  });
  // Partial, because most rows are for machine-to-machine tokens, which have no user.
  await db.raw(
    'create index audit_log_by_user on audit_log (tenant_id, user_id, created_at) where user_id is not null',
  );
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('audit_log');
}
