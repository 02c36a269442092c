import { snakeCase } from '../drivers/names.ts';
import { booleanColumns, jsonColumns } from '../tables/index.ts';
import type { DatabaseKind } from './batched-read.ts';

/** The parts of SQL that make JSON. SQLite has neither a type for JSON nor one for booleans. */
const DIALECTS = {
  sqlite: {
    object: 'json_object',
    json: (column: string) => `json(${column})`,
    boolean: (column: string) => `json(iif(${column}, 'true', 'false'))`,
    list: (value: string) => `json_group_array(${value})`,
  },
  postgres: {
    object: 'json_build_object',
    json: (column: string) => column,
    boolean: (column: string) => column,
    list: (value: string) => `coalesce(json_agg(${value}), '[]')`,
  },
};

export function jsonOn(kind: DatabaseKind) {
  const { object, ...dialect } = DIALECTS[kind];
  const objectOf = (members: Record<string, string>) =>
    `${object}(${Object.entries(members).map(([name, value]) => `'${name}', ${value}`)})`;
  const memberOf = (name: string) => {
    const column = snakeCase(name);
    if (jsonColumns.has(name)) return dialect.json(column);
    return booleanColumns.has(name) ? dialect.boolean(column) : column;
  };
  return {
    ...dialect,
    /** An object with these members, each the SQL of its value. */
    objectOf,
    /** An object with these columns (camelCase), as a row of the query builder has them. */
    rowOf: (columns: readonly string[]) => objectOf(Object.fromEntries(columns.map((name) => [name, memberOf(name)]))),
  };
}
