import type { Knex } from 'knex';
import type { ColumnOf, Row, Table } from '../tables/index.ts';

/** Part of a query: an expression for a select list, a condition or an update. It is no query and cannot be awaited. */
export interface Fragment extends Knex.Raw {
  then(cannotBeAwaited: never): never;
  stream: never;
  pipe: never;
}

/** Like `Patch`, but a value may be an expression. */
export type Changes<T extends Table> = { [C in ColumnOf<T>]?: Row<T>[C] | Fragment | undefined };

/** All ways to run it go through one of these. */
const UNUSABLE = Object.fromEntries(['then', 'stream', 'pipe'].map((name) => [name, undefined]));

/** @throws if the SQL contains a query of its own, which would not be limited to the tenant */
export function fragmentOf(db: Knex, sql: string, bindings: readonly unknown[]): Fragment {
  if (/\bselect\b/i.test(sql)) throw new Error(`A fragment cannot contain a query: ${sql}`);
  const fragment: Knex.Raw = Object.assign(db.raw(sql, bindings as Knex.RawBinding[]), UNUSABLE);
  return fragment as Fragment;
}
