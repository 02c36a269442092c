import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // JWT access tokens issued under a user's grant. They are revoked with it.
  await db.schema.createTable('issued_jwts', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable(); // The `jti`.
    table.string('grant_id').notNullable();
    table.string('account_id').notNullable();
    table.string('client_id').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'grant_id']);
    table.index(['tenant_id', 'account_id']);
    table.index(['expires_at']);
  });

  // From now on one table contains every token revoked before it expired, including those of impersonations.
  await db.raw(`insert into revoked_tokens (tenant_id, id, expires_at, revoked_at)
    select tenant_id, id, expires_at, revoked_at from impersonations where revoked_at is not null`);
  await db.raw('create index revoked_tokens_by_expiry on revoked_tokens (tenant_id, expires_at, id)');

  // Most entries are kept as long as the tenant; refusals of unauthenticated requests are not.
  await db.schema.alterTable('audit_log', (table) => {
    table.bigInteger('expires_at');
  });
  await db.raw('create index audit_log_expiring on audit_log (expires_at) where expires_at is not null');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index audit_log_expiring');
  await db.schema.alterTable('audit_log', (table) => table.dropColumn('expires_at'));
  await db.raw('drop index revoked_tokens_by_expiry');
  await db.raw(`delete from revoked_tokens where exists (
    select 1 from impersonations
    where impersonations.tenant_id = revoked_tokens.tenant_id and impersonations.id = revoked_tokens.id)`);
  await db.schema.dropTable('issued_jwts');
}
