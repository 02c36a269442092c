import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('signing_keys', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable(); // The `kid` of the JWKS.
    table.string('algorithm').notNullable();
    table.text('private_key_encrypted').notNullable();
    table.string('state').notNullable(); // next, current or previous. All three are published; only `current` signs.
    table.bigInteger('created_at').notNullable();
    table.bigInteger('retire_at');
    table.primary(['tenant_id', 'id']);
  });

  // Sessions, interactions, grants, codes, refresh tokens and opaque access tokens of oidc-provider.
  await db.schema.createTable('oidc_payloads', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('model').notNullable();
    // A hash, because the id itself is the credential that the client has.
    table.string('id').notNullable();
    table.text('payload_encrypted').notNullable();
    table.string('account_id');
    table.string('client_id');
    table.string('grant_id');
    table.string('uid');
    table.bigInteger('expires_at');
    table.bigInteger('consumed_at');
    table.primary(['tenant_id', 'model', 'id']);
    table.index(['tenant_id', 'grant_id']);
    table.index(['tenant_id', 'uid']);
    table.index(['tenant_id', 'account_id']);
    table.index(['expires_at']);
  });

  await db.schema.createTable('subject_tokens', (table) => {
    table.string('tenant_id').notNullable();
    table.string('id').notNullable();
    table.string('token_hash').notNullable();
    table.string('user_id').notNullable();
    table.json('context').notNullable();
    // If set, only this application, this actor and this resource are accepted.
    table.string('client_id');
    table.string('actor_id');
    table.string('resource', 2048);
    table.string('creator_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('spent_at');
    table.bigInteger('revoked_at');
    table.primary(['tenant_id', 'id']);
    table.unique(['tenant_id', 'token_hash']);
    table.index(['tenant_id', 'user_id']);
    table.index(['tenant_id', 'created_at', 'id']);
    table.index(['expires_at']);
    table.foreign(['tenant_id', 'user_id']).references(['tenant_id', 'id']).inTable('users').onDelete('CASCADE');
  });

  // No foreign key to users: the record must remain after the actor or the subject is deleted.
  await db.schema.createTable('impersonations', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable(); // The `jti` of the issued token.
    table.string('subject_token_id').notNullable();
    table.string('subject_id').notNullable();
    table.string('actor_id');
    table.string('application_id').notNullable();
    table.string('resource', 2048);
    table.string('organization_id');
    table.text('scope').notNullable();
    table.json('context').notNullable();
    table.string('ip');
    table.string('user_agent', 512);
    table.bigInteger('issued_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('revoked_at');
    table.string('revoked_by');
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'issued_at', 'id']);
    table.index(['tenant_id', 'subject_id']);
  });
  // Partial, because most impersonations are never revoked, and every index costs time at each exchange.
  await db.raw(
    'create index impersonations_by_actor on impersonations (tenant_id, actor_id) where actor_id is not null',
  );
  await db.raw(
    'create index impersonations_revoked on impersonations (tenant_id, expires_at) where revoked_at is not null',
  );

  // JWT access tokens revoked before they expire (RFC 7009). Impersonations record that in their own row.
  await db.schema.createTable('revoked_tokens', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable(); // The `jti`.
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('revoked_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['expires_at']);
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['revoked_tokens', 'impersonations', 'subject_tokens', 'oidc_payloads', 'signing_keys'])
    await db.schema.dropTable(table);
}
