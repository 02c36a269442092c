import type { Knex } from 'knex';

/**
 * Claiming a delivery changes no index, because the columns of a lease (state, owner, expiry) are in none. PostgreSQL
 * then writes the new row version to the same page, if it has room, at a fifth of the cost.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw('drop index deliveries_leased');
  await replaceDueAt(db, `update deliveries set open_due_at = due_at where state in ('waiting', 'delivering')`);
  await db.raw('create index deliveries_due on deliveries (tenant_id, hook_id, due_at, id) where due_at is not null');
  if (db.client.dialect === 'postgresql') {
    await db.raw('alter table deliveries set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)');
  }

  await replaceAttempts(db, '', (table) => {
    table.primary(['tenant_id', 'delivery_id', 'number'], 'attempts_of_delivery');
    table.index(['tenant_id', 'hook_id', 'started_at'], 'attempts_of_hook'); // Also finds rows past their retention.
  });
}

export async function down(db: Knex): Promise<void> {
  await replaceAttempts(db, `delivery_id || '-' || number as id,`, (table) => {
    table.string('id').notNullable();
    table.primary(['tenant_id', 'id'], 'attempts_pkey');
    table.index(['tenant_id', 'hook_id', 'started_at', 'id'], 'attempts_tenant_id_hook_id_started_at_id_index');
    table.index(['tenant_id', 'delivery_id'], 'attempts_tenant_id_delivery_id_index');
    table.index(['started_at'], 'attempts_started_at_index');
  });

  if (db.client.dialect === 'postgresql') {
    await db.raw('alter table deliveries reset (fillfactor, autovacuum_vacuum_scale_factor)');
  }
  await replaceDueAt(db, 'update deliveries set open_due_at = coalesce(due_at, created_at)');
  await db.raw(`create index deliveries_due on deliveries (tenant_id, hook_id, due_at, id) where state = 'waiting'`);
  await db.raw(`create index deliveries_leased on deliveries (lease_until) where state = 'delivering'`);
}

/** Makes `due_at` nullable (null once dead or cancelled), in the only way that both databases support. */
async function replaceDueAt(db: Knex, fill: string): Promise<void> {
  await db.raw('drop index deliveries_due');
  await db.raw('alter table deliveries add column open_due_at bigint');
  await db.raw(fill);
  await db.raw('alter table deliveries drop column due_at');
  await db.raw('alter table deliveries rename column open_due_at to due_at');
}

const KEPT = `tenant_id, delivery_id, event_id, event_type, hook_id, number, trigger, started_at, duration_ms, status,
  error_class, error_message, response_body, is_success`;

/**
 * Identifies an attempt by its delivery and number. An id of its own would need another index, written at random
 * places.
 */
async function replaceAttempts(db: Knex, id: string, keys: (table: Knex.CreateTableBuilder) => void): Promise<void> {
  await db.schema.createTable('attempts_after', (table) => {
    table.string('tenant_id').notNullable();
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
    keys(table);
  });
  const columns = id ? `id, ${KEPT}` : KEPT;
  await db.raw(`insert into attempts_after (${columns}) select ${id} ${KEPT} from attempts`);
  await db.schema.dropTable('attempts');
  await db.schema.renameTable('attempts_after', 'attempts');
}
