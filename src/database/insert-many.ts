import type { Knex } from 'knex';
import type { Database } from './connect.ts';
import { snakeCase } from './names.ts';
import { jsonColumns, type Table } from './tables.ts';

/** SQLite keeps JSON as text, so it is written as text inside the parameter. PostgreSQL takes a member as it is. */
function cellOf(kind: Database['kind'], column: string, value: unknown): unknown {
  return kind === 'sqlite' && value !== null && jsonColumns.has(column) ? JSON.stringify(value) : value;
}

/**
 * Many rows of the same columns as one JSON parameter, which the database takes apart by itself. The
 * loser, a placeholder for every value, costs ten times as much to build and to bind.
 */
export async function insertMany(
  db: Knex,
  kind: Database['kind'],
  table: Table,
  rows: readonly object[],
): Promise<void> {
  const columns = Object.keys(rows[0] as object);
  const names = columns.map(snakeCase);
  const records = rows.map((row) =>
    Object.fromEntries(
      columns.map((column, index) => [
        names[index],
        cellOf(kind, column, (row as Record<string, unknown>)[column] ?? null),
      ]),
    ),
  );
  const target = snakeCase(table);
  const source =
    kind === 'sqlite'
      ? `select ${names.map((name) => `value ->> '${name}'`).join(', ')} from json_each(?)`
      : `select ${names.join(', ')} from json_populate_recordset(null::${target}, ?)`;
  await db.raw(`insert into ${target} (${names.join(', ')}) ${source}`, [JSON.stringify(records)]);
}
