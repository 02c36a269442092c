import { jsonColumns } from '../tables/index.ts';

/** Encodes JSON columns as text, because the PostgreSQL driver would convert an array to a PostgreSQL array. */
export function encode(fields: object): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    encoded[name] = value !== null && jsonColumns.has(name) ? JSON.stringify(value) : value;
  }
  return encoded;
}
