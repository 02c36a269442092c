import type { Knex } from 'knex';

/** Administrators could do everything before there were roles, so all of them become owners, links included. */
export async function up(db: Knex): Promise<void> {
  for (const name of ['administrators', 'administrator_links'])
    await db.schema.alterTable(name, (table) => {
      table.string('role').notNullable().defaultTo('owner');
    });
}

export async function down(db: Knex): Promise<void> {
  for (const name of ['administrators', 'administrator_links'])
    await db.schema.alterTable(name, (table) => {
      table.dropColumn('role');
    });
}
