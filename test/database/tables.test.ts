import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { camelCase, snakeCase } from '../../src/database/drivers/names.ts';
import { type Table, tables, tenantTables } from '../../src/database/tables/index.ts';
import { createMigrated, type DatabaseKind, databases } from '../support/databases.ts';

interface StoredColumn {
  name: string;
  type: string;
  isNullable: boolean;
  /** SQL of the default value. */
  initial: string | null;
}

interface Schema {
  columns: StoredColumn[];
  primaryKey: string[];
  parents: string[];
}

const READ: Record<DatabaseKind, (ask: Database['reader']['raw'], table: string) => Promise<Schema>> = {
  async sqlite(ask, table) {
    const columns: { name: string; type: string; notnull: number; dfltValue: string | null; pk: number }[] = await ask(
      `pragma table_info(${table})`,
    );
    const keys: { table: string }[] = await ask(`pragma foreign_key_list(${table})`);
    return {
      columns: columns.map(({ name, type, notnull, dfltValue, pk }) => ({
        name,
        type,
        isNullable: notnull === 0 && pk === 0, // SQLite allows null in a primary key of one column.
        initial: dfltValue,
      })),
      primaryKey: columns.filter(({ pk }) => pk > 0).map(({ name }) => name),
      parents: keys.map((key) => key.table),
    };
  },
  async postgres(ask, table) {
    const columns: StoredColumn[] = await ask(
      `select column_name as name, data_type as type, is_nullable = 'YES' as is_nullable,
        column_default as initial from information_schema.columns where table_name = ?`,
      [table],
    );
    const [key]: { columns: string[] }[] = await ask(
      `select array_agg(attname::text) as columns from pg_index
        join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indisprimary and indrelid = ?::regclass`,
      [table],
    );
    const parents: { name: string }[] = await ask(
      `select confrelid::regclass::text as name from pg_constraint where contype = 'f' and conrelid = ?::regclass`,
      [table],
    );
    return { columns, primaryKey: key?.columns ?? [], parents: parents.map(({ name }) => name) };
  },
};

const kindOf = (name: string, type: string) => {
  if (name.endsWith('_encrypted')) return 'sealed';
  if (/^(bigint|integer)$/i.test(type)) return 'number';
  if (/^(varchar|character varying|text)/i.test(type)) return 'text';
  return type === 'boolean' ? 'flag' : type;
};

const roleOf = ({ name, isNullable, initial }: StoredColumn, primaryKey: string[]) => {
  if (primaryKey.includes(name) && name !== 'tenant_id') return 'key';
  if (initial !== null) return 'default';
  return isNullable ? 'null' : 'required';
};

/** SQLite writes booleans as `'0'`, PostgreSQL adds the type, as in `'schedule'::character varying`. */
function initialOf({ type, isNullable, initial }: StoredColumn): unknown {
  if (initial === null) return isNullable ? null : undefined;
  const value = initial.replace(/^'(.*?)'(::.*)?$/, '$1');
  if (type === 'boolean') return value === '1' || value === 'true';
  return Number.isNaN(Number(value)) ? value : Number(value);
}

async function schemaOf(kind: DatabaseKind): Promise<[Table, Schema][]> {
  await using place = await createMigrated(kind);
  const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 2 };
  const database = connect(settings);
  try {
    const ask = database.reader.raw.bind(database.reader);
    return await Promise.all(
      tenantTables.map(async (table) => [table, await READ[kind](ask, snakeCase(table))] as [Table, Schema]),
    );
  } finally {
    await database.close();
  }
}

describe.each(databases)('the definitions of tables on %s', async (kind) => {
  it('have the columns, kinds, keys and parents that the migrations create', async () => {
    for (const [table, { columns, primaryKey, parents }] of await schemaOf(kind)) {
      const stored = columns.map((column) => [
        camelCase(column.name),
        {
          kind: kindOf(column.name, column.type),
          role: roleOf(column, primaryKey),
          initial: initialOf(column),
        },
      ]);
      const defined = Object.entries(tables[table].columns).map(([name, { kind, role, initial }]) => [
        name,
        { kind, role, initial },
      ]);
      expect({ table, ...Object.fromEntries(defined) }).toEqual({ table, ...Object.fromEntries(stored) });
      const position = (name: string) => ['tenants', ...tenantTables.map(snakeCase)].indexOf(name);
      const later = parents.filter((parent) => position(parent) >= position(snakeCase(table)));
      expect({ table, later }).toEqual({ table, later: [] });
    }
  });
});

it('gives a name the same conversion in every table', () => {
  const conversions = new Map<string, string>();
  for (const table of tenantTables)
    for (const [name, { kind }] of Object.entries(tables[table].columns)) {
      const conversion = kind === 'json' || kind === 'flag' ? kind : 'none';
      expect({ table, name, conversion }).toEqual({ table, name, conversion: conversions.get(name) ?? conversion });
      conversions.set(name, conversion);
    }
});
