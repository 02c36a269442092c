import type { Knex } from 'knex';

const FIGURES = [
  'tokens_by_code',
  'tokens_by_refresh',
  'tokens_by_client',
  'tokens_refused',
  'impersonations_begun',
  'impersonations_ended',
  'requests_refused',
  'script_runs',
  'script_denials',
  'script_failures',
  'script_micros',
  'deliveries_delivered',
  'deliveries_retried',
  'deliveries_dead',
  'backlog',
];

export async function up(db: Knex): Promise<void> {
  // Figures of the overview: a row per tenant and minute, and one per tenant and hour, with any activity.
  await db.schema.createTable('figures', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.integer('width_ms').notNullable();
    table.bigInteger('starts_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    for (const figure of FIGURES) table.bigInteger(figure).notNullable();
    table.primary(['tenant_id', 'width_ms', 'starts_at']);
    table.index(['expires_at']);
  });
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('figures');
}
