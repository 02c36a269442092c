import { jsonColumns } from '../tables/index.ts';

/** JSON columns are written as text: the PostgreSQL driver would turn an array into one of its own. */
export function encode(fields: object): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    encoded[name] = value !== null && jsonColumns.has(name) ? JSON.stringify(value) : value;
  }
  return encoded;
}
