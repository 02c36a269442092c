import type { Knex } from 'knex';

/**
 * Indexes for filtered lists, newest first. They include the id, which is part of the order: without it SQLite uses
 * another index that has the whole order, and reads the rows of the whole tenant for those of one user.
 */
const LISTS = [
  { table: 'audit_log', name: 'audit_log_by_application', columns: 'application_id, created_at' },
  { table: 'audit_log', name: 'audit_log_by_key', columns: 'key, created_at' },
  { table: 'audit_log', name: 'audit_log_by_user', columns: 'user_id, created_at', where: 'user_id is not null' },
  { table: 'impersonations', name: 'impersonations_by_subject', columns: 'subject_id, issued_at' },
  {
    table: 'impersonations',
    name: 'impersonations_by_actor',
    columns: 'actor_id, issued_at',
    where: 'actor_id is not null',
  },
  { table: 'subject_tokens', name: 'subject_tokens_by_user', columns: 'user_id, created_at' },
];

/** Indexes replaced by `LISTS`. */
const REPLACED = [
  ['audit_log_tenant_id_application_id_created_at_index', 'audit_log (tenant_id, application_id, created_at)'],
  ['audit_log_tenant_id_key_created_at_index', 'audit_log (tenant_id, key, created_at)'],
  ['audit_log_by_user', 'audit_log (tenant_id, user_id, created_at) where user_id is not null'],
  ['impersonations_tenant_id_subject_id_index', 'impersonations (tenant_id, subject_id)'],
  ['impersonations_by_actor', 'impersonations (tenant_id, actor_id) where actor_id is not null'],
  ['subject_tokens_tenant_id_user_id_index', 'subject_tokens (tenant_id, user_id)'],
];

/**
 * Indexes for searches that blocked the writer while they read all rows of a tenant, or of all tenants: for a suspended
 * actor, for a deleted application, webhook or tenant, and by the retention sweep for ended deliveries and replays.
 */
const SEARCHES = [
  ['subject_tokens_by_actor', 'subject_tokens (tenant_id, actor_id) where actor_id is not null'],
  ['oidc_payloads_by_client', 'oidc_payloads (tenant_id, client_id) where client_id is not null'],
  ['deliveries_ended', 'deliveries (created_at) where due_at is null'],
  ['replays_by_hook', 'replays (tenant_id, hook_id)'],
  ['replays_by_age', 'replays (created_at)'],
  ['administrators_by_managed_tenant', 'administrators (managed_tenant_id)'],
];

export async function up(db: Knex): Promise<void> {
  // These headers contain tokens of endpoints. `webhooks/sending/hook-headers.ts` encrypts those in `config` at each
  // start, because a migration has no secret key.
  await db.raw('alter table hooks add column headers_encrypted text');

  for (const [name] of REPLACED) await db.raw(`drop index ${name}`);
  for (const { table, name, columns, where } of LISTS)
    await db.raw(
      `create index ${name} on ${table} (tenant_id, ${columns}, id)${where === undefined ? '' : ` where ${where}`}`,
    );
  for (const [name, on] of SEARCHES) await db.raw(`create index ${name} on ${on}`);
}

export async function down(db: Knex): Promise<void> {
  for (const [name] of SEARCHES) await db.raw(`drop index ${name}`);
  for (const { name } of LISTS) await db.raw(`drop index ${name}`);
  for (const [name, on] of REPLACED) await db.raw(`create index ${name} on ${on}`);
  await db.raw('alter table hooks drop column headers_encrypted');
}
