import type { Knex } from 'knex';
import { normalEmail, normalPhone } from '../../base/email-and-phone.ts';

const BATCH = 1_000;

/**
 * Normalizes the email addresses and phone numbers that earlier releases stored, because users are looked up by the
 * normalized form. Leaves a value unchanged if another account already has the normalized form, or if it is not valid:
 * an administrator decides.
 */
export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('connectors', (table) => {
    table.boolean('assume_email_verified').notNullable().defaultTo(false);
  });
  await respell(db, 'primary_email', normalEmail);
  await respell(db, 'primary_phone', normalPhone);
}

export async function down(db: Knex): Promise<void> {
  await db.schema.alterTable('connectors', (table) => table.dropColumn('assume_email_verified'));
}

type Named = { tenant_id: string; id: string; text: string };

async function respell(db: Knex, column: string, spell: (text: string) => string | undefined): Promise<void> {
  let last: Pick<Named, 'tenant_id' | 'id'> = { tenant_id: '', id: '' };
  for (;;) {
    const after = last;
    const rows: Named[] = await db('users')
      .whereNotNull(column)
      .whereRaw('(tenant_id, id) > (?, ?)', [after.tenant_id, after.id])
      .orderBy(['tenant_id', 'id'])
      .limit(BATCH)
      .select('tenant_id', 'id', `${column} as text`);
    for (const { tenant_id, id, text } of rows) {
      const spelled = spell(text);
      if (spelled === undefined || spelled === text) continue;
      const isTaken = await db('users')
        .where({ tenant_id, [column]: spelled })
        .first('id');
      if (!isTaken)
        await db('users')
          .where({ tenant_id, id })
          .update({ [column]: spelled });
    }
    const end = rows.at(-1);
    if (!end || rows.length < BATCH) return;
    last = end;
  }
}
