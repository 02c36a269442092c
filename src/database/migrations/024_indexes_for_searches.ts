import type { Knex } from 'knex';

/**
 * Indexes for searches that read the rows of a whole tenant on SQLite. Those of a role and of an application now have
 * all columns that the search returns or orders by; without them SQLite prefers an index that has these columns but not
 * the one that is searched. The tokens of a deleted application had no index, and were searched on the writer.
 */
const SEARCHES = [
  ['user_roles_by_role', 'user_roles (tenant_id, role_id, user_id)'],
  ['impersonations_by_application', 'impersonations (tenant_id, application_id, issued_at, id)'],
  ['issued_jwts_by_client', 'issued_jwts (tenant_id, client_id)'],
];

/** Indexes replaced by `SEARCHES`. */
const REPLACED = [
  ['user_roles_tenant_id_role_id_index', 'user_roles (tenant_id, role_id)'],
  ['impersonations_by_application', 'impersonations (tenant_id, application_id, issued_at)'],
];

export async function up(db: Knex): Promise<void> {
  for (const [name] of REPLACED) await db.raw(`drop index ${name}`);
  for (const [name, on] of SEARCHES) await db.raw(`create index ${name} on ${on}`);
}

export async function down(db: Knex): Promise<void> {
  for (const [name] of SEARCHES) await db.raw(`drop index ${name}`);
  for (const [name, on] of REPLACED) await db.raw(`create index ${name} on ${on}`);
}
