import type { Knex } from 'knex';

/**
 * The state of a failing webhook, written by the processes that send: failures in a row, the last failure, until when
 * nothing is sent, and when an administrator asked to try again.
 */
export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('hooks', (table) => {
    table.integer('failures_in_a_row').notNullable().defaultTo(0);
    table.integer('last_failure_status');
    table.string('last_failure_error');
    table.bigInteger('paused_until');
    table.bigInteger('resumed_at');
  });
}

export async function down(db: Knex): Promise<void> {
  for (const column of ['failures_in_a_row', 'last_failure_status', 'last_failure_error', 'paused_until', 'resumed_at'])
    await db.schema.alterTable('hooks', (table) => table.dropColumn(column));
}
