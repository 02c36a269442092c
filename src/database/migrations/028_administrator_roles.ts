import type { Knex } from 'knex';

const TABLES = ['administrators', 'administrator_links'];

/** Before there were roles administrators could do everything, so all of them become owners, links included. */
export async function up(db: Knex): Promise<void> {
  for (const table of TABLES)
    await db.raw(`alter table ${table} add column role varchar(255) not null default 'owner'`);
}

export async function down(db: Knex): Promise<void> {
  for (const table of TABLES) await db.raw(`alter table ${table} drop column role`);
}
