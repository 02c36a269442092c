import type { Knex } from 'knex';
import { snakeCase } from '../drivers/names.ts';
import { cellOf } from './insert-many.ts';
import { prepared } from './prepared.ts';

/** The procedures that were created on a connection. */
const created = new WeakMap<object, Set<string>>();

/** Creates the procedure at its first call on a connection. @returns the value of `returned` */
export type SqliteProcedure<Values> = (db: Knex, values: Values) => Promise<unknown>;

/** True if the transaction that created the procedure was rolled back. */
const isMissing = (name: string, error: unknown) => (error as Error).message.endsWith(`no such table: ${name}`);

/**
 * SQLite's substitute for a stored procedure: a temporary view of the writer connection, created at the first call, and
 * a trigger that runs several statements for an insert into it. The insert is one call into SQLite and commits by
 * itself. Rejected: a transaction of three statements, which takes five calls, each a hop to another thread and back.
 *
 * @param statements read the parameters as `new.<name>`
 * @param returned SQL of a value to return, which reads the parameters as `<name of the procedure>.<name>`
 */
export function sqliteProcedure<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  statements: readonly string[],
  returned = 'null',
): SqliteProcedure<Record<Parameter, Knex.Value>> {
  const definitions = [
    `create temp view if not exists ${name} as select ${parameters.map((parameter) => `null as ${parameter}`).join(', ')}`,
    `create temp trigger if not exists ${name}_all instead of insert on ${name} begin ${statements.join(';\n')}; end`,
  ];
  const text = `insert into ${name} (${parameters.join(', ')}) values (${parameters.map(() => '?').join(', ')})
    returning ${returned} as returned`;

  async function create(db: Knex): Promise<void> {
    for (const definition of definitions) await db.raw(definition);
  }

  return async (db, values) => {
    const known = created.get(db.client) ?? new Set();
    created.set(db.client, known);
    if (!known.has(name)) await create(db);
    known.add(name);
    const bindings = parameters.map((parameter) => values[parameter]);
    const insert = () => prepared<{ returned: unknown }>(db, text, bindings);
    const [row] = await insert().catch(async (error) => {
      if (!isMissing(name, error)) throw error;
      await create(db);
      return insert();
    });
    return row?.returned;
  };
}

/**
 * A list of rows in one parameter of SQLite, which limits their number: JSON arrays in the order of `columns`. Rejected:
 * objects with names, with which a procedure takes 1.5 times as long.
 */
export function sqliteRows<Column extends string>(columns: readonly Column[]) {
  return {
    /** The rows in a parameter, as a table. */
    in: (parameter: string) =>
      `(select ${columns.map((column, index) => `value ->> ${index} as ${snakeCase(column)}`).join(', ')} from json_each(${parameter}))`,
    /** The parameter. */
    of: (rows: readonly Readonly<Record<Column, unknown>>[]) =>
      JSON.stringify(rows.map((row) => columns.map((column) => cellOf('sqlite', column, row[column])))),
  };
}
