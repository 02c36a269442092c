import type { Client } from 'pg';
import type { Database } from '../../src/database/database.ts';
import type { Sent } from './statements.ts';

/** How a statement reads one table. */
export interface Access {
  table: string;
  /** Undefined if it reads the whole table. */
  index: string | undefined;
  /** The columns that bound what is read of the index, with their operators: `['tenant_id =', 'due_at <']`. */
  columns: string[];
}

export const textOf = ({ table, index, columns }: Access): string =>
  index === undefined ? `${table}: all rows` : `${table}: ${index} (${columns.join(', ')})`;

/** Maps the names in a statement to tables: aliases, and the tables themselves. */
function tablesIn(sql: string, tables: ReadonlySet<string>): Map<string, string> {
  const names = new Map([...tables].map((table) => [table, table]));
  for (const [, table = '', alias = ''] of sql.matchAll(/\b(\w+)[`"]? (?:as )?[`"]?(\w+)/g))
    if (tables.has(table) && !tables.has(alias)) names.set(alias, table);
  return names;
}

/**
 * Returns SQLite's query plan, one step per line: `SEARCH deliveries USING INDEX deliveries_due (tenant_id=? AND
 * hook_id>?)`.
 */
export async function sqlitePlan(database: Database, sql: string): Promise<string[]> {
  const bindings = Array((sql.match(/\?/g) ?? []).length).fill(null);
  const steps: { detail: string }[] = await database.write((db) => db.raw(`explain query plan ${sql}`, bindings));
  return steps.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)\b/.test(detail));
}

/** `hook_id>?` becomes `hook_id >`, and `(due_at,id)>(?,?)` becomes `(due_at, id) >`. */
const sqliteBound = (bound: string): string =>
  bound
    .replace(/\(?\?.*$/, '')
    .replace(/([<>=]+)$/, ' $1')
    .replace(',', ', ');

/** Returns what a statement reads on SQLite. */
export async function sqliteAccess(database: Database, sql: string, tables: ReadonlySet<string>): Promise<Access[]> {
  const names = tablesIn(sql, tables);
  return (await sqlitePlan(database, sql)).flatMap((step) => {
    const [, name = ''] = /^\w+ (\w+)/.exec(step) ?? [];
    const table = names.get(name);
    if (table === undefined) return []; // A subquery, or a list that is a parameter.
    const [, found] = / USING (?:COVERING )?(?:INDEX (\w+)|INTEGER PRIMARY KEY)/.exec(step) ?? [];
    const [, bounds] = /\((.*)\)(?: LEFT-JOIN)?$/.exec(step) ?? [];
    const index = found?.replace(/^sqlite_autoindex_\w+_1$/, 'primary key') ?? (bounds ? 'rowid' : undefined);
    const columns = bounds?.split(' AND ').map(sqliteBound) ?? [];
    return [{ table, index, columns }];
  });
}

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'TID Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Returns the nodes of all levels of plans in PostgreSQL's JSON format. */
export const planNodes = (rows: readonly unknown[]): PlanNode[] =>
  rows
    .flatMap((row) => (row as Record<'QUERY PLAN' | 'queryPlan', { Plan: PlanNode }[]>)['QUERY PLAN'] ?? [])
    .flatMap(({ Plan }) => nodesOf(Plan));

/** Returns the columns of an `Index Cond` such as `((tenant_id = $1) AND (ROW(due_at, id) > ROW(next.due_at, next.id)))`. */
function columnsOf(condition: string): string[] {
  const plain = condition.replace(/::[a-z]+(?: [a-z]+)?(\[\])?/g, '').replace(/\(([\w.]+)\)/g, '$1');
  const rows = [...plain.matchAll(/ROW\((\w+, \w+)\) (\S+) ROW/g)].map(
    ([, columns, operator]) => `(${columns}) ${operator}`,
  );
  const single = [...plain.matchAll(/(?<=\()(\w+) (=|<=|>=|<|>|~~|~>=~|~<~|IS NOT|IS) (ANY )?/g)];
  return [...single.map(([, column, operator, any]) => `${column} ${any ? 'in' : operator}`), ...rows];
}

/**
 * Returns what a statement reads on PostgreSQL: in the plan for any values if it is prepared, else for those it was sent
 * with.
 */
export async function postgresAccess(client: Client, { sql, bindings, isPrepared }: Sent): Promise<Access[]> {
  const { rows } = isPrepared
    ? await client.query(`explain (format json, generic_plan) ${sql}`)
    : await client.query(`explain (format json) ${sql}`, [...bindings]);
  return accessesOf(planNodes(rows));
}

function accessesOf(nodes: readonly PlanNode[]): Access[] {
  const tableOf = (bitmap: PlanNode) =>
    nodes.find((heap) => heap['Node Type'] === 'Bitmap Heap Scan' && nodesOf(heap).includes(bitmap))?.['Relation Name'];
  return nodes.flatMap((node) => {
    const type = node['Node Type'];
    const table = node['Relation Name'] ?? tableOf(node);
    if (table === undefined || !type.includes('Scan') || type === 'Bitmap Heap Scan') return [];
    if (type === 'Tid Scan') return [{ table, index: 'ctid', columns: ['ctid ='] }];
    const index = node['Index Name']?.replace(/^\w+_pkey$/, 'primary key');
    return [{ table, index, columns: columnsOf(node['Index Cond'] ?? '') }];
  });
}

/**
 * Returns a function that names the first of the indexes that are equally good for an access, because PostgreSQL's
 * choice among those depends on its sample of the rows.
 */
export async function firstOfEqual(client: Client): Promise<(access: Access) => Access> {
  const { rows } = await client.query('select tablename, indexname, indexdef from pg_indexes order by indexname');
  const indexes = rows.map(({ tablename, indexname, indexdef }) => ({
    table: tablename,
    name: indexname.replace(/^\w+_pkey$/, 'primary key'),
    columns: /\(([\w, ]+)\)$/.exec(indexdef)?.[1]?.split(', ') ?? [], // None of a partial index or an expression.
  }));
  return (access) => {
    const used = new Set(access.columns.map((column) => column.replace(/ .*/, '')));
    const isEqual = ({ table, columns }: (typeof indexes)[number]) =>
      table === access.table && new Set(columns.slice(0, used.size)).symmetricDifference(used).size === 0;
    const equal = used.size > 0 ? indexes.filter(isEqual) : [];
    return equal.some(({ name }) => name === access.index) ? { ...access, index: equal[0]?.name } : access;
  };
}

/**
 * Returns the text of a statement without what differs between two of its kind (quotes, numbers of parameters, how many
 * alike parts a union has), and without long lists of columns.
 */
export const shapeOf = (sql: string): string =>
  sql
    .replace(/["`]/g, '')
    .replace(/\$\d+/g, '?')
    .replace(/\s+/g, ' ')
    .replace(/(?:\w+\.\w+ is record\.value ->> \d+ and )+/g, '… and ')
    .replace(/(?:stored\.\w+(?:::text)? is not distinct from record\.\w+(?:::text)? and )+/g, '… and ')
    .replace(/as record\([^()]*\)/g, 'as record(…)')
    .trim()
    .replace(/\?(, \?)+/g, '?, …')
    .replace(/\bin \(\?(, …)?\)/g, 'in (…)')
    .replace(/(select .{20,700}?)( union all \1)+(?=$| |\))/g, '$1 union all …')
    .replace(/(json_(?:build_)?object)\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1(…)')
    .replace(/\b[\w.]+(, [\w.]+){3,}(?=\)| from| returning|$)/g, '…');
