import type { Knex } from 'knex';
import { snakeCase } from './names.ts';
import type { Table } from './tables.ts';

const texts = new Map<string, string>();

/**
 * The most frequent statement of all: one row by the columns of a key, `null` matching null. Its text is
 * made once for each table and set of columns; building it anew costs as much as running it.
 */
export function selectOne(table: Table, key: Record<string, unknown>): [sql: string, bindings: Knex.RawBinding[]] {
  const columns = Object.keys(key);
  const isNull = (column: string) => key[column] === null;
  const shape = `${table} ${columns.map((column) => (isNull(column) ? `${column}!` : column)).join(' ')}`;
  let sql = texts.get(shape);
  if (sql === undefined) {
    const conditions = columns.map((column) => `"${snakeCase(column)}" ${isNull(column) ? 'is null' : '= ?'}`);
    sql = `select * from "${snakeCase(table)}" where ${conditions.join(' and ')} limit 1`;
    texts.set(shape, sql);
  }
  return [sql, columns.filter((column) => !isNull(column)).map((column) => key[column] as Knex.RawBinding)];
}
