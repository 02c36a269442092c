import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/** By text. PostgreSQL keeps 63 characters of a name. */
const names = new Map<string, string>();
/** Grows when the names given so far are of no more use. */
let generation = 0;

function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `u${generation}_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
    names.set(sql, name);
  }
  return name;
}

/** PostgreSQL's "cached plan must not change result type": a newer release has changed a table that `*` is read of. */
export const isStaleStatement = ({ code, routine }: { code?: string; routine?: string }): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery';

/**
 * A statement whose text is always the same, with `?` for its values: PostgreSQL parses and plans it once for each
 * connection, which for a join costs more than running it; behind a pooler it has no name and is planned each time.
 * (On SQLite every statement stays prepared: `sqlite-client.ts`.) Not for texts that are put together at run time: each
 * would stay with the server for good.
 *
 * A stale one is prepared anew. Within a transaction, which it has ended, `againWhenUndone` begins that again.
 */
export async function prepared<Row>(db: Knex, sql: string, bindings: readonly unknown[]): Promise<Row[]> {
  const run = async () =>
    (await db.raw(sql, bindings as Knex.RawBinding[]).options({ name: nameOf(sql) })) as unknown as Row[];
  try {
    return await run();
  } catch (error) {
    if (!isStaleStatement(error as object)) throw error;
    generation += 1;
    names.clear();
    if (db.isTransaction) throw error;
    return run();
  }
}
