import type { Knex } from 'knex';

/** Creates a join table of two tenant-owned tables. The pair is the key, and both foreign keys include the tenant. */
async function createJoin(
  db: Knex,
  name: string,
  members: { column: string; references: string; table: string }[],
): Promise<void> {
  await db.schema.createTable(name, (table) => {
    table.string('tenant_id').notNullable();
    for (const { column } of members) table.string(column).notNullable();
    table.primary(['tenant_id', ...members.map(({ column }) => column)]);
    for (const { column, references, table: target } of members) {
      table.index(['tenant_id', column]);
      table.foreign(['tenant_id', column]).references(['tenant_id', references]).inTable(target).onDelete('CASCADE');
    }
  });
}

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('organizations', (table) => {
    table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
    table.string('id').notNullable();
    table.string('name').notNullable();
    table.string('description', 256);
    table.json('custom_data').notNullable();
    table.boolean('is_mfa_required').notNullable().defaultTo(false);
    table.json('color').notNullable();
    table.json('branding').notNullable();
    table.text('custom_css');
    table.bigInteger('created_at').notNullable();
    table.primary(['tenant_id', 'id']);
    table.index(['tenant_id', 'created_at', 'id']);
  });

  for (const name of ['organization_roles', 'organization_scopes']) {
    await db.schema.createTable(name, (table) => {
      table.string('tenant_id').notNullable().references('id').inTable('tenants').onDelete('CASCADE');
      table.string('id').notNullable();
      table.string('name').notNullable();
      table.string('description', 256);
      if (name === 'organization_roles') table.string('type').notNullable();
      table.primary(['tenant_id', 'id']);
      table.unique(['tenant_id', 'name']);
    });
  }

  const organization = { column: 'organization_id', references: 'id', table: 'organizations' };
  const user = { column: 'user_id', references: 'id', table: 'users' };
  const application = { column: 'application_id', references: 'id', table: 'applications' };
  const role = { column: 'organization_role_id', references: 'id', table: 'organization_roles' };
  const organizationScope = { column: 'organization_scope_id', references: 'id', table: 'organization_scopes' };
  const scope = { column: 'scope_id', references: 'id', table: 'scopes' };
  await createJoin(db, 'organization_users', [organization, user]);
  await createJoin(db, 'organization_applications', [organization, application]);
  await createJoin(db, 'organization_role_scopes', [role, organizationScope]);
  await createJoin(db, 'organization_role_resource_scopes', [role, scope]);

  for (const [name, member, members] of [
    ['organization_user_roles', 'user_id', 'organization_users'],
    ['organization_application_roles', 'application_id', 'organization_applications'],
  ] as const) {
    await db.schema.createTable(name, (table) => {
      table.string('tenant_id').notNullable();
      table.string('organization_id').notNullable();
      table.string(member).notNullable();
      table.string('organization_role_id').notNullable();
      table.primary(['tenant_id', 'organization_id', member, 'organization_role_id']);
      table.index(['tenant_id', 'organization_role_id']);
      table.index(['tenant_id', member]);
      // A role in an organization is deleted with the membership.
      table
        .foreign(['tenant_id', 'organization_id', member])
        .references(['tenant_id', 'organization_id', member])
        .inTable(members)
        .onDelete('CASCADE');
      table
        .foreign(['tenant_id', 'organization_role_id'])
        .references(['tenant_id', 'id'])
        .inTable('organization_roles')
        .onDelete('CASCADE');
    });
  }
}

export async function down(db: Knex): Promise<void> {
  for (const table of [
    'organization_application_roles',
    'organization_user_roles',
    'organization_role_resource_scopes',
    'organization_role_scopes',
    'organization_applications',
    'organization_users',
    'organization_scopes',
    'organization_roles',
    'organizations',
  ]) {
    await db.schema.dropTable(table);
  }
}
