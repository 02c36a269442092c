import { keyOf, type Table } from '../tables/index.ts';

/** @throws if the key is empty or a column has no value, which would match rows that the caller does not mean */
export function requireKey(table: Table, key: object): void {
  const values = Object.values(key);
  if (values.includes(undefined) || (values.length === 0 && keyOf(table).length > 0))
    throw new Error(`This key of ${table} is not complete: ${Object.keys(key)}`);
}
