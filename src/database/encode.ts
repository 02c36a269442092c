import { jsonColumns } from './tables.ts';

const MAX_ROWS = 400; // Of one insert: Knex writes it for SQLite as a compound select, which holds 500.

/** JSON columns are written as text: the PostgreSQL driver would turn an array into one of its own. */
export function encode(fields: object): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    encoded[name] = value !== null && jsonColumns.has(name) ? JSON.stringify(value) : value;
  }
  return encoded;
}

/** Rows as the database is given them: one part, unless there are more than a statement can hold. */
export function encodedParts(rows: readonly object[]): Record<string, unknown>[][] {
  const encoded = rows.map(encode);
  const parts: Record<string, unknown>[][] = [];
  for (let start = 0; start < encoded.length; start += MAX_ROWS) parts.push(encoded.slice(start, start + MAX_ROWS));
  return parts;
}
