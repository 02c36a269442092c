import type { Knex } from 'knex';
import { snakeCase } from '../drivers/names.ts';
import { jsonColumns, type Table } from '../tables/index.ts';
import type { DatabaseKind } from './batched-read.ts';
import { prepared } from './prepared.ts';

/** Encodes JSON columns as text, because the PostgreSQL driver would convert an array to a PostgreSQL array. */
export function encode(fields: object): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    encoded[name] = value !== null && jsonColumns.has(name) ? JSON.stringify(value) : value;
  }
  return encoded;
}

/** Returns a value for the parameter: JSON as text for SQLite, which stores text, and unchanged for PostgreSQL. */
export function cellOf(kind: DatabaseKind, column: string, value: unknown): unknown {
  return kind === 'sqlite' && value !== null && jsonColumns.has(column) ? JSON.stringify(value) : value;
}

/** Returns the rows as one JSON parameter. */
export function recordsOf(kind: DatabaseKind, columns: readonly string[], rows: readonly object[]): string {
  const names = columns.map(snakeCase);
  const records = rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [index, column] of columns.entries())
      record[names[index] as string] = cellOf(kind, column, (row as Record<string, unknown>)[column] ?? null);
    return record;
  });
  return JSON.stringify(records);
}

/** Returns an `insert … select …` from such a parameter (its only `?`). Conditions on `record` may follow. */
export function insertFromRecords(kind: DatabaseKind, table: Table, columns: readonly string[], records = '?'): string {
  const target = snakeCase(table);
  const names = columns.map(snakeCase);
  const source =
    kind === 'sqlite'
      ? `select ${names.map((name) => `value ->> '${name}'`).join(', ')} from json_each(${records}) record`
      : `select ${names.join(', ')} from json_populate_recordset(null::${target}, ${records}) record`;
  return `insert into ${target} (${names.join(', ')}) ${source}`;
}

/** Returns the columns for which any row has a value. The others get their default. */
function columnsOf(rows: readonly object[]): string[] {
  const columns = new Set<string>();
  for (const row of rows)
    for (const [column, value] of Object.entries(row)) if (value !== undefined) columns.add(column);
  return [...columns];
}

/** Inserts rows passed as one JSON parameter. Rejected: a placeholder per value, which takes ten times as long. */
export async function insertMany(db: Knex, kind: DatabaseKind, table: Table, rows: readonly object[]): Promise<void> {
  const columns = columnsOf(rows);
  await prepared(db, insertFromRecords(kind, table, columns), [recordsOf(kind, columns, rows)]);
}

/** Inserts the rows that do not exist yet, and returns them. */
export async function insertMissing<Row>(
  db: Knex,
  kind: DatabaseKind,
  table: Table,
  rows: readonly object[],
): Promise<Row[]> {
  const columns = columnsOf(rows);
  // Without a condition SQLite parses `on` as part of a join.
  const text = `${insertFromRecords(kind, table, columns)} where true on conflict do nothing returning *`;
  return prepared(db, text, [recordsOf(kind, columns, rows)]);
}
