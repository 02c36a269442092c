import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { snakeCase } from '../drivers/names.ts';
import { jsonColumns, keyOf, type Row, type Table, tables } from '../tables/index.ts';
import type { DatabaseKind } from './batched-read.ts';
import { eventRecords, insertEvents } from './insert-event.ts';
import { cellOf, insertFromRecords, recordsOf } from './insert-many.ts';
import { prepared } from './prepared.ts';
import { sqliteProcedure, sqliteRows } from './sqlite-procedure.ts';

/** A row with all columns, the tenant included. */
export type FullRow = Readonly<Record<string, unknown>>;

/** A part of a unit of work. Together they are written in one statement. */
export type Change =
  | { kind: 'insert'; table: Table; rows: readonly FullRow[] }
  /** Events with their deliveries. */
  | { kind: 'event'; rows: Row<'events'>[] }
  /** Changes these columns of a row, if it still is as it was read. */
  | { kind: 'update'; table: Table; columns: readonly string[]; rows: readonly { was: FullRow; patch: FullRow }[] }
  /** Deletes a row, if it still is as it was read. */
  | { kind: 'delete'; table: Table; rows: readonly { was: FullRow }[] };

/** The result of a statement that was written. */
interface Written {
  /** The tenants that got deliveries. */
  notified: ReadonlySet<string>;
}

/** Writes the changes of units that have the same shape, in one statement: all of them or none. */
export type UnitStatement = (db: Knex, units: readonly (readonly Change[])[]) => Promise<Written>;

/** A change without its rows: what the SQL text depends on. */
export const shapeOf = (changes: readonly Change[]): string =>
  changes
    .map((change) =>
      change.kind === 'event'
        ? 'event'
        : `${change.kind} ${change.table}${change.kind === 'update' ? ` ${change.columns.join()}` : ''}`,
    )
    .join('; ');

/** One of the changes as SQL, with its rows as one parameter. */
interface Step {
  records: (rows: readonly never[]) => string;
  /** SQLite: the statements; the parameter is `new.p<position>`. PostgreSQL: a part of a `with`. */
  sql: (parameter: string, name: string) => string | readonly string[];
  /** True if the statement must change one row for each of `rows`. */
  isExact: boolean;
}

const columnsOf = (table: Table): string[] => Object.keys(tables[table].columns);

/** The columns that a change sets. Their names become SQL, so they must be columns of the table. */
function changedIn(change: Exclude<Change, { kind: 'event' }>): readonly string[] {
  const changed = change.kind === 'update' ? change.columns : [];
  const unknown = changed.find((column) => !Object.hasOwn(tables[change.table].columns, column));
  if (unknown !== undefined) throw new Error(`${change.table} has no column ${unknown}`);
  return changed;
}

const isKey = (table: Table, column: string) => column === 'tenantId' || keyOf(table).includes(column);

const typeOf = (column: string, table: Table): string =>
  ({ text: 'text', sealed: 'text', number: 'bigint', flag: 'boolean', json: 'json' })[
    tables[table].columns[column]?.kind ?? 'text'
  ];

type Found = { was: FullRow; patch?: FullRow };

/** On SQLite a row is a JSON array: the columns as they were, then their new values. */
function sqliteStep(change: Change): Step {
  if (change.kind === 'event') return { records: eventRecords.sqlite, sql: insertEvents.sqlite, isExact: false };
  const { table, kind } = change;
  const columns = columnsOf(table);
  const target = snakeCase(table);
  const cells = (row: FullRow, names: readonly string[]) => names.map((name) => cellOf('sqlite', name, row[name]));
  if (kind === 'insert') {
    const rows = sqliteRows(columns);
    return {
      records: rows.of,
      sql: (records) =>
        `insert into ${target} (${columns.map(snakeCase).join(', ')}) select * from ${rows.in(records)}`,
      isExact: false,
    };
  }
  const changed = changedIn(change);
  // With `+` SQLite finds rows by the key only. It has no statistics, and would take the index of a column that is null
  // in every row for as good.
  const isAsRead = columns.map((column, index) => {
    const stored = `${target}.${snakeCase(column)}`;
    return `${isKey(table, column) ? `${stored} =` : `+${stored} is`} record.value ->> ${index}`;
  });
  const set = changed.map((column, index) => `${snakeCase(column)} = record.value ->> ${columns.length + index}`);
  return {
    records: (rows: readonly Found[]) =>
      JSON.stringify(rows.map(({ was, patch = {} }) => [...cells(was, columns), ...cells(patch, changed)])),
    sql: (rows) =>
      kind === 'update'
        ? `update ${target} set ${set.join(', ')} from json_each(${rows}) record where ${isAsRead.join(' and ')}`
        : `delete from ${target} where rowid in (select ${target}.rowid from json_each(${rows}) record
            cross join ${target} where ${isAsRead.join(' and ')})`,
    isExact: true,
  };
}

/** On PostgreSQL a row is a JSON object: `was_<column>` as it was, `<column>` its new value. */
function postgresStep(change: Change): Step {
  if (change.kind === 'event') return { records: eventRecords.postgres, sql: insertEvents.postgres, isExact: false };
  const { table, kind } = change;
  const columns = columnsOf(table);
  const target = snakeCase(table);
  if (kind === 'insert')
    return {
      records: (rows: readonly FullRow[]) => recordsOf('postgres', columns, rows),
      sql: (rows, name) => `${name} as (${insertFromRecords('postgres', table, columns, rows)})`,
      isExact: false,
    };
  const changed = changedIn(change);
  const types = [
    ...columns.map((column) => `was_${snakeCase(column)} ${typeOf(column, table)}`),
    ...changed.map((column) => `${snakeCase(column)} ${typeOf(column, table)}`),
  ];
  // The type json has no equality. Its text is as it was written.
  const compared = (column: string) => `${snakeCase(column)}${jsonColumns.has(column) ? '::text' : ''}`;
  const isAsRead = columns.map((column) => {
    const equals = isKey(table, column) ? '=' : 'is not distinct from';
    return `stored.${compared(column)} ${equals} record.was_${compared(column)}`;
  });
  const set = changed.map((column) => `${snakeCase(column)} = found.${snakeCase(column)}`);
  return {
    records: (rows: readonly Found[]) =>
      JSON.stringify(
        rows.map(({ was, patch = {} }) => ({
          ...Object.fromEntries(columns.map((column) => [`was_${snakeCase(column)}`, was[column]])),
          ...Object.fromEntries(changed.map((column) => [snakeCase(column), patch[column]])),
        })),
      ),
    // `ctid` is the place of a row's version. If another transaction changes the row first, its new version is elsewhere.
    sql: (rows, name) => {
      const found = `(
        select stored.ctid as place, record.* from json_to_recordset(${rows}) as record(${types.join(', ')})
        cross join lateral (select ctid from ${target} stored where ${isAsRead.join(' and ')} limit 1) stored
      ) found where changed.ctid = found.place returning 1`;
      return kind === 'update'
        ? `${name} as (update ${target} changed set ${set.join(', ')} from ${found})`
        : `${name} as (delete from ${target} changed using ${found})`;
    },
    isExact: true,
  };
}

/** The rows of the same change in all units, and their number. */
function rowsAt(units: readonly (readonly Change[])[], position: number): readonly never[] {
  return units.flatMap((changes) => (changes[position]?.rows ?? []) as readonly never[]);
}

/** A unit that waits for another transaction holds up those in its statement, and those of the same shape. */
const MAX_LOCK_WAIT_MS = 50;

/**
 * One statement with all changes as parts of a `with`, which all see the tables as they were before. If a row is not as
 * it was read, a division by zero rolls the statement back: SQL has no other way to fail. The limit for locks ends with
 * the statement. PostgreSQL computes it first, because the changes run when `select` reads their counts, or at the end.
 */
function postgresStatement(changes: readonly Change[]): UnitStatement {
  const steps = changes.map(postgresStep);
  const parts = steps.map(({ sql }, position) => sql('?', `change_${position}`));
  const exact = steps.flatMap(({ isExact }, position) => (isExact ? [position] : []));
  const isExact = exact.map((position) => `(select count(*) from change_${position}) = ?`);
  const text = `with ${parts.join(', ')}
    select ${isExact.length > 0 ? `1 / (${isExact.join(' and ')})::int` : '1'} as written,
      ${changes.some(({ kind }) => kind === 'event') ? '(select json_agg(distinct tenant_id) from delivery)' : 'null'} as notified
    from (select set_config('lock_timeout', '${MAX_LOCK_WAIT_MS}ms', true)) limits`;
  return async (db, units) => {
    const rows = steps.map((_, position) => rowsAt(units, position));
    const records = steps.map((step, position) => step.records(rows[position] as never[]));
    const counts = exact.map((position) => rows[position]?.length ?? 0);
    const [row] = await prepared<{ notified: string[] | null }>(db, text, [...records, ...counts]);
    return { notified: new Set(row?.notified ?? []) };
  };
}

/** One procedure, in which the changes run in order. */
function sqliteStatement(changes: readonly Change[], name: string): UnitStatement {
  const steps = changes.map(sqliteStep);
  const parameters = steps.map((_, position) => `p${position}`);
  const statements = steps.flatMap(({ sql, isExact }, position) => [
    ...[sql(`new.p${position}`, name)].flat(),
    ...(isExact
      ? [`select raise(abort, 'a row is not as it was read') where changes() <> json_array_length(new.p${position})`]
      : []),
  ]);
  const event = changes.findIndex(({ kind }) => kind === 'event');
  const notified = `(select json_group_array(distinct deliveries.tenant_id) from json_each(${name}.p${event}) event
    cross join deliveries on deliveries.tenant_id = event.value ->> 0 and deliveries.event_id = event.value ->> 1)`;
  const procedure = sqliteProcedure(name, parameters, statements, event === -1 ? undefined : notified);
  return async (db, units) => {
    const records = steps.map((step, position) => [`p${position}`, step.records(rowsAt(units, position))]);
    const returned = await procedure(db, Object.fromEntries(records));
    return { notified: new Set<string>(JSON.parse((returned as string | null) ?? '[]')) };
  };
}

/** True if the shape does not depend on what a caller changes: an update sets all columns of the row. */
export const isWide = (changes: readonly Change[]): boolean =>
  changes.every(
    (change) => change.kind !== 'update' || settable(change.table).every((column) => change.columns.includes(column)),
  );
const settable = (table: Table): string[] => columnsOf(table).filter((column) => !isKey(table, column));

/** The same changes, in which an update sets all columns of the row. */
export const widened = (changes: readonly Change[]): readonly Change[] =>
  changes.map((change) => {
    if (change.kind !== 'update') return change;
    const columns = [...new Set([...settable(change.table), ...change.columns])].sort();
    return { ...change, columns, rows: change.rows.map(({ was, patch }) => ({ was, patch: { ...was, ...patch } })) };
  });

/** Returns the statement for units of the shape of these changes. */
export function unitStatement(kind: DatabaseKind, changes: readonly Change[]): UnitStatement {
  if (kind === 'postgres') return postgresStatement(changes);
  return sqliteStatement(changes, `unit_${createHash('sha256').update(shapeOf(changes)).digest('hex').slice(0, 16)}`);
}
