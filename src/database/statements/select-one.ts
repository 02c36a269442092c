import { snakeCase } from '../drivers/names.ts';
import type { Table } from '../tables/index.ts';
import { type BatchedRead, type KeyRecord, type KeyValue, textsFor } from './batched-read.ts';

const reads = new Map<string, BatchedRead<unknown>>();

/**
 * Returns the read of one row by the columns of a key, where `null` matches null. It is the most frequent statement.
 * Its text is built once per table and set of columns, because building it costs as much as running it.
 */
export function selectOne<Row>(
  table: Table,
  key: Record<string, unknown>,
): { read: BatchedRead<Row>; record: KeyRecord } {
  const record: KeyRecord = {};
  let shape: string = table;
  for (const [column, value] of Object.entries(key)) {
    shape += ` ${column} ${value === null ? 'null' : typeof value}`;
    if (value !== null) record[snakeCase(column)] = value as KeyValue;
  }
  let read = reads.get(shape);
  if (!read) {
    read = { texts: textsOf(table, key, record), rowOf: (found) => found };
    reads.set(shape, read);
  }
  return { read: read as BatchedRead<Row>, record };
}

function textsOf(table: Table, key: Record<string, unknown>, record: KeyRecord): BatchedRead<unknown>['texts'] {
  const target = snakeCase(table);
  return textsFor(record, (_kind, valueFor) => {
    const conditions = Object.keys(key).map((name) => {
      const column = snakeCase(name);
      return `${target}.${column} ${key[name] === null ? 'is null' : `= ${valueFor(column)}`}`;
    });
    return { columns: `${target}.*`, from: `${target} where ${conditions.join(' and ')}` };
  });
}
