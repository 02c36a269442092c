import type { Knex } from 'knex';
import { prepared } from './prepared.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** A value in a key. Its type is part of the statement. */
export type KeyValue = string | number | boolean;
/** Maps columns (snake_case) to values. Contains the tenant. */
export type KeyRecord = Record<string, KeyValue>;

/**
 * Reads at most one row for each of many keys, in one statement whose only `?` is the list of keys as JSON. Each key
 * has a `key_position`, which each row returns.
 */
export interface BatchedRead<Row> {
  texts: Record<DatabaseKind, string>;
  rowOf(found: Record<string, unknown>): Row;
}

const TYPES = { string: 'text', number: 'bigint', boolean: 'boolean' };
const typeOf = (value: KeyValue) => TYPES[typeof value as keyof typeof TYPES];

/**
 * Returns the statements for a read of one key. On PostgreSQL each key is looked up by itself (`lateral`). Rejected: a
 * plain join, in which PostgreSQL estimates the list at 100 keys and reads the whole of a small table.
 */
export function textsFor(
  key: KeyRecord,
  read: (kind: DatabaseKind, valueFor: (column: string) => string) => { columns: string; from: string },
): BatchedRead<unknown>['texts'] {
  const columns = Object.entries(key).map(([column, value]) => `${column} ${typeOf(value)}`);
  const postgres = read('postgres', (column) => `wanted.${column}`);
  const sqlite = read('sqlite', (column) => `wanted.value ->> '${column}'`);
  return {
    postgres: `select found.*, wanted.key_position
      from json_to_recordset(?) as wanted(key_position integer, ${columns.join(', ')})
      cross join lateral (select ${postgres.columns} from ${postgres.from} limit 1) found`,
    sqlite: `select ${sqlite.columns}, wanted.key as key_position from json_each(?) wanted cross join ${sqlite.from}`,
  };
}

/** Returns the rows in the order of the keys; undefined for keys without a row. */
export async function readMany<Row>(
  db: Knex,
  kind: DatabaseKind,
  { texts, rowOf }: BatchedRead<Row>,
  keys: readonly KeyRecord[],
): Promise<(Row | undefined)[]> {
  const wanted = JSON.stringify(keys.map((key, position) => ({ ...key, key_position: position })));
  const rows: (Row | undefined)[] = Array(keys.length).fill(undefined);
  for (const { keyPosition, ...found } of await prepared<Record<string, unknown>>(db, texts[kind], [wanted]))
    rows[keyPosition as number] ??= rowOf(found);
  return rows;
}
