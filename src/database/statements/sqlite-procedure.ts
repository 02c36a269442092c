import type { Knex } from 'knex';

/**
 * SQLite's substitute for a stored procedure: a temporary view of the writer connection, and a trigger that runs
 * several statements for an insert into it. The insert is one call into SQLite and commits by itself. Rejected: a
 * transaction of three statements, which takes five calls, each a hop to another thread and back.
 *
 * @param statements read the parameters as `new.<name>`
 */
export function sqliteProcedure<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  statements: string,
) {
  return {
    /** For the writer connection. See `sqlite-views.ts`. */
    definition: `
  create temp view ${name} as select ${parameters.map((parameter) => `null as ${parameter}`).join(', ')};
  create temp trigger ${name}_all instead of insert on ${name} begin
    ${statements}
  end;`,
    call: `insert into ${name} (${parameters.join(', ')}) values (${parameters.map(() => '?').join(', ')})`,
    bindings: (values: Record<Parameter, Knex.Value>) => parameters.map((parameter) => values[parameter]),
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
      `(select ${columns.map((column, index) => `value ->> ${index} as ${column}`).join(', ')} from json_each(${parameter}))`,
    /** The parameter. */
    of: (rows: readonly Record<Column, unknown>[]) =>
      JSON.stringify(rows.map((row) => columns.map((column) => row[column]))),
  };
}
