import type { ErrorCode } from '../../errors.ts';

export type Json = Record<string, unknown>;

/** How values are stored. `number` includes times, in epoch milliseconds. `sealed` is text encrypted with the secret key. */
type Kind = 'text' | 'number' | 'flag' | 'json' | 'sealed';
/** `key`: part of the primary key, besides the tenant. `null` and `default`: a new row may have none (see `initial`). */
type Role = 'key' | 'required' | 'null' | 'default';

export interface Column<Value = unknown, R extends Role = Role> {
  readonly kind: Kind;
  readonly role: R;
  /** The error for a value that another row of the tenant has. */
  readonly taken?: ErrorCode;
  /** The value in a new row that has none: null, or the default of the column. */
  readonly initial?: Value;
  /** The row is deleted when the time in this column is so long ago. */
  readonly keptMs?: number;
  /** Only for the compiler: no column has it. */
  readonly value: Value;
}

const column = <Value, R extends Role = 'required'>(kind: Kind, role: Role = 'required', initial?: unknown) =>
  ({ kind, role, initial }) as Column<Value, R>;

export const text = column<string>('text');
export const number = column<number>('number');
export const flag = column<boolean>('flag');
export const sealed = column<string>('sealed');
export const json = column<Json>('json');
/** Narrows the values of a column, as in `of<'next' | 'current'>(text)`. */
export const of = <Value>({ kind }: Column) => column<Value>(kind);

export const key = <Value>({ kind }: Column<Value>) => column<Value, 'key'>(kind, 'key');
export const orNull = <Value>({ kind }: Column<Value>) => column<Value | null, 'null'>(kind, 'null', null);
export const orDefault = <Value>({ kind }: Column<Value>, initial: NoInfer<Value>) =>
  column<Value, 'default'>(kind, 'default', initial);
export const unique = <C extends Column>(column: C, taken: ErrorCode): C => ({ ...column, taken });
export const expiring = <C extends Column>(column: C, keptMs = 0): C => ({ ...column, keptMs });
export const id = key(text);

type Columns = Readonly<Record<string, Column>>;

/** A table of rows that belong to a tenant. Only the store sets `tenantId`. */
export interface TableDefinition<C extends Columns = Columns> {
  readonly columns: C;
  /** True for configuration, which requests only read. Every process caches it until a write. */
  readonly isConfiguration: boolean;
}

/** Defines a table as the migrations leave it; `test/database/tables.test.ts` compares the two. */
export const table = <C extends Columns>(columns: C, isConfiguration = false) => ({
  columns: { ...columns, tenantId: text },
  isConfiguration,
});
export const cached = <C extends Columns>(columns: C) => table(columns, true);

/** The columns of a table with these roles. */
export type ColumnsOf<D extends TableDefinition, R extends Role = Role> = Exclude<
  { [C in keyof D['columns']]: D['columns'][C]['role'] extends R ? C : never }[keyof D['columns']],
  'tenantId'
>;
type Values<D extends TableDefinition, C extends keyof D['columns']> = {
  [Name in C]: D['columns'][Name]['value'];
};

/** A row as the code sees it: names in camelCase, booleans as booleans, JSON parsed. */
export type RowOf<D extends TableDefinition> = Values<D, keyof D['columns']>;
/** A row to insert. Columns that can be null or have a default can be left out. */
export type NewRowOf<D extends TableDefinition> = Values<D, ColumnsOf<D, 'key' | 'required'>> & {
  [C in ColumnsOf<D, 'null' | 'default'>]?: RowOf<D>[C] | undefined;
};
