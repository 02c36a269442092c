import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('hooks', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('name', 256).notNullable();
    table.string('event');
    table.json('events').notNullable();
    table.json('config').notNullable();
    table.text('signing_key_encrypted').notNullable();
    // [{ signingKeyEncrypted, expiresAt }], newest first: old secrets that still sign along with the new one.
    table.json('old_signing_keys').notNullable();
    table.boolean('enabled').notNullable().defaultTo(true);
    table.string('disabled_reason', 512);
    table.bigInteger('failing_since');
    table.bigInteger('last_failure_at');
    table.integer('gone_count').notNullable().defaultTo(0); // Consecutive 410 responses.
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
  });

  await db.schema.createTable('events', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable(); // Also the `webhook-id` header.
    table.string('type').notNullable();
    table.text('body').notNullable(); // The JSON text to sign, without `hookId`.
    table.bigInteger('occurred_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'occurred_at', 'id']);
    table.index(['occurred_at']);
  });

  await db.schema.createTable('replays', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('hook_id').notNullable();
    table.json('filter').notNullable(); // { since, until, state, events }
    table.string('cursor'); // Position of the replay: `<occurred at>:<event id>`.
    table.integer('count').notNullable();
    table.integer('done').notNullable().defaultTo(0);
    table.string('state').notNullable(); // running, done or cancelled.
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['state']);
    table.foreign(['tenant_id', 'hook_id']).references(['tenant_id', 'id']).inTable('hooks').onDelete('CASCADE');
  });

  // A delivery has a row while it is waiting, delivering, dead or cancelled. A delivered one has only its attempts.
  await db.schema.createTable('deliveries', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('event_id').notNullable();
    table.string('hook_id').notNullable();
    table.string('state').notNullable();
    table.bigInteger('due_at').notNullable();
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('lease_until');
    table.string('lease_owner');
    table.integer('last_status');
    table.string('trigger').notNullable().defaultTo('schedule'); // schedule, manual or replay.
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'hook_id', 'created_at', 'id']);
    table.index(['tenant_id', 'event_id']);
    table.foreign(['tenant_id', 'event_id']).references(['tenant_id', 'id']).inTable('events').onDelete('CASCADE');
    table.foreign(['tenant_id', 'hook_id']).references(['tenant_id', 'id']).inTable('hooks').onDelete('CASCADE');
  });
  // Partial indexes: the hot path reads only rows that are waiting or leased.
  await db.raw(`create index deliveries_due on deliveries (tenant_id, hook_id, due_at, id) where state = 'waiting'`);
  await db.raw(`create index deliveries_leased on deliveries (lease_until) where state = 'delivering'`);

  // No foreign key: it would cost a third of the time to write an attempt, and deleting a busy webhook would delete a
  // month of history in one transaction. Rows of a deleted webhook or tenant are removed by the retention sweep.
  await db.schema.createTable('attempts', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('delivery_id').notNullable();
    table.string('event_id').notNullable();
    table.string('event_type').notNullable();
    table.string('hook_id').notNullable();
    table.integer('number').notNullable();
    table.string('trigger').notNullable();
    table.bigInteger('started_at').notNullable();
    table.integer('duration_ms').notNullable();
    table.integer('status'); // Status of the response; null if there was none.
    table.string('error_class');
    table.text('error_message');
    table.text('response_body'); // The first 8 KiB.
    table.boolean('is_success').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'hook_id', 'started_at', 'id']);
    table.index(['tenant_id', 'delivery_id']);
    table.index(['started_at']);
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['attempts', 'deliveries', 'replays', 'events', 'hooks']) await db.schema.dropTable(table);
}
