import type { Knex } from 'knex';

const TABLES = {
  organization_users: ['organization_id'],
  organization_user_roles: ['organization_id', 'organization_role_id'],
};

/**
 * Covering indexes for the memberships of one user. Without the other columns, SQLite (which does not know how many
 * rows a tenant has) uses the primary key instead and reads the memberships of the whole tenant.
 */
export async function up(db: Knex): Promise<void> {
  for (const [name, rest] of Object.entries(TABLES)) {
    await db.schema.alterTable(name, (table) => {
      table.dropIndex(['tenant_id', 'user_id']);
      table.index(['tenant_id', 'user_id', ...rest], `${name}_by_user`);
    });
  }
}

export async function down(db: Knex): Promise<void> {
  for (const [name, rest] of Object.entries(TABLES)) {
    await db.schema.alterTable(name, (table) => {
      table.dropIndex(['tenant_id', 'user_id', ...rest], `${name}_by_user`);
      table.index(['tenant_id', 'user_id']);
    });
  }
}
