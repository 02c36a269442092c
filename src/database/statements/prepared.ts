import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/** Statement names by SQL text. PostgreSQL truncates names to 63 characters. */
const names = new Map<string, string>();
/** Incremented when all names given so far become invalid. */
let generation = 0;

function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `u${generation}_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
    names.set(sql, name);
  }
  return name;
}

/** True for PostgreSQL's "cached plan must not change result type": a newer release changed a table read with `*`. */
export const isStaleStatement = ({ code, routine }: { code?: string; routine?: string }): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery';

/**
 * Runs a statement with `?` for its values, and returns its rows. PostgreSQL parses and plans it once per connection,
 * which for a join costs more than running it; behind a pooler it has no name and is planned each time. (On SQLite
 * every statement stays prepared: see `sqlite-statements.ts`.) The text must be constant: the server keeps each one.
 *
 * A stale statement is prepared again. Inside a transaction, which the failure has ended, `retryIfUndone` repeats the
 * whole transaction.
 */
export async function prepared<Row>(db: Knex, sql: string, bindings: readonly Knex.Value[]): Promise<Row[]> {
  const run = async (): Promise<Row[]> => {
    const statement = db.raw(sql, bindings);
    return db.userParams.namesStatements ? statement.options({ name: nameOf(sql) }) : statement;
  };
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
