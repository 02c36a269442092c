import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { camelCase, snakeCase } from '../../src/database/drivers/names.ts';
import { migrate } from '../../src/database/migrate.ts';
import { keyOf, type Table, tenantTables } from '../../src/database/tables/index.ts';
import { createDatabase, createMigrated, type DatabaseKind, databases } from '../support/databases.ts';
import { fill, GROWING } from '../support/fill.ts';
import { type Access, firstOfEqual, postgresAccess, shapeOf, sqliteAccess, textOf } from '../support/plans.ts';
import { type Sent, triggeredStatements } from '../support/statements.ts';
import { everyStatement, type Recorded } from './every-statement.ts';

/** Tables that stay small: configuration, rows that an administrator makes by hand, and figures of two weeks. */
const SMALL = [
  ...['active_scripts', 'administrator_links', 'administrators', 'application_roles', 'application_secrets'],
  ...['applications', 'clearings', 'configs', 'connectors', 'console_sessions', 'figures', 'hooks'],
  ...[
    'organization_applications',
    'organization_application_roles',
    'organization_role_resource_scopes',
    'organization_role_scopes',
  ],
  ...['organization_roles', 'organization_scopes', 'resource_aliases', 'resources', 'role_scopes', 'roles', 'scopes'],
  ...['script_versions', 'sign_in_images', 'sign_in_settings', 'signing_keys'],
];

/** Statements that may read many rows, and why. No token request, no write and no round of the poller waits for one. */
const WALKS: Record<string, RegExp> = {
  'a page of a list, read along an index until the page is full':
    /^select .*from \(select \* from (\w+) where tenant_id = \?\) as \1 .*order by .* limit \?/,
  'the number of events that a replay would send': /^select count\(\*\) as count .* occurred_at between/,
  'the length of a list, which the API returns': /^select count\(\*\) as (total|count) from \(select/,
  'the counts of the overview, up to a thousand': /as running\) as running/,
  'the backlog, for metrics and once a minute':
    /^select (tenant_id, )?count\(\*\) as count(, min\(due_at\) as oldest)? from deliveries where/,
  'the leases of the previous process, once at the start':
    /^update deliveries .* where due_at is not null and state = \?$/,
};

/** Further statements that nothing but the tenant bounds, and why they read only a few rows. */
const SHORT: Record<string, RegExp> = {
  'a few users whose name starts with a text: a range of an index on an expression, which the plan does not name':
    /^select found\.users, wanted\.key_position from json_to_recordset/,
  'the first webhook with a due row, in the order of the index': /^with recursive heads .* limit 1\)/,
  'a new tenant, whose rows SQLite would look for only while a foreign key is violated': /^insert into tenants/,
};

/** Returns why the statement may read what nothing but the tenant bounds. */
const reasonIn = (reasons: Record<string, RegExp>, shape: string): string | undefined =>
  Object.keys(reasons).find((reason) => reasons[reason]?.test(shape));

/** True if nothing but the tenant bounds what is read. */
const isUnbounded = ({ columns }: Access): boolean => columns.every((column) => column.startsWith('tenant_id '));

/**
 * True for `tenant_id = … and (tenant_id, hook_id) > …`: PostgreSQL starts at the first row of the tenant, and compares
 * every row.
 */
const isComparedLate = ({ columns }: Access): boolean =>
  columns.some((column) => columns.includes(column.replace(/^\((\w+),.*/, '$1 =')) && column.startsWith('('));

/** True if a unit of work finds the row that it changes by anything but its primary key. */
function isOffKey({ table, index, columns }: Access, shape: string): boolean {
  const isUnit = /json_each\(\?\) record (where|cross join)|stored\.ctid as place/.test(shape);
  const isChanged = isUnit && new RegExp(`\\b(update|delete from) ${table} `).test(shape);
  const key = keyOf(camelCase(table) as Table).map((column) => `${snakeCase(column)} =`);
  return isChanged && index !== 'rowid' && index !== 'ctid' && !key.every((column) => columns.includes(column));
}

interface Plan {
  by: string;
  accesses: Access[];
}

/** Returns the plans of statements that read growing tables, by the shape of the statement. */
async function plansOf(sent: readonly Sent[], read: (one: Sent) => Promise<Access[]>): Promise<Map<string, Plan>> {
  const plans = new Map<string, Plan>();
  for (const one of sent) {
    const accesses = (await read(one)).filter(({ table }) => GROWING.includes(table));
    const known = plans.get(shapeOf(one.sql))?.accesses ?? [];
    if (accesses.length > 0) plans.set(shapeOf(one.sql), { by: one.by, accesses: [...known, ...accesses] });
  }
  return plans;
}

/** SQLite plans without statistics, so the plan for an empty database is the plan for a full one. */
async function sqlitePlans(recorded: Promise<Recorded>): Promise<Map<string, Plan>> {
  await using owned = await createMigrated('sqlite');
  const database = connect({ databaseUrl: undefined, dataDir: owned.dataDir, poolSize: 1 });
  try {
    expect(await database.reader.raw(`select name from sqlite_master where name like 'sqlite_stat%'`)).toEqual([]);
    const tables = new Set(GROWING);
    const { sent, procedures } = await recorded;
    const all = [...(await triggeredStatements(database, procedures)), ...sent];
    return await plansOf(all, ({ sql }) => sqliteAccess(database, sql, tables));
  } finally {
    await database.close();
  }
}

async function postgresPlans(recorded: Promise<Recorded>): Promise<Map<string, Plan>> {
  await using owned = await createMigrated('postgres');
  const clients = new Map<string, Client>();
  const open = async (options: string) => {
    const client = clients.get(options) ?? new Client({ connectionString: owned.url as string, options });
    if (!clients.has(options)) await client.connect();
    clients.set(options, client);
    return client;
  };
  try {
    const [{ sent }] = await Promise.all([recorded, fill(await open(''))]);
    const named = await firstOfEqual(await open(''));
    return await plansOf(sent, async (one) => (await postgresAccess(await open(one.settings), one)).map(named));
  } finally {
    for (const client of clients.values()) await client.end();
  }
}

const PLANS = { sqlite: sqlitePlans, postgres: postgresPlans };

/** The plans as text. Those of walks depend on PostgreSQL's estimates, so only their reasons are given there. */
function tableOf(kind: DatabaseKind, plans: Map<string, Plan>): string {
  const entries = [...plans].map(([shape, { accesses }]) => {
    const reason = reasonIn(WALKS, shape);
    const isShown = reason === undefined || kind === 'sqlite';
    const lines = [...(isShown ? accesses.map(textOf) : []), ...(reason === undefined ? [] : [`allowed: ${reason}`])];
    return [shape, ...[...new Set(lines)].sort().map((line) => `    ${line}`)].join('\n');
  });
  return `${entries.sort().join('\n')}\n`;
}

/**
 * `plans/*.txt` has every statement that reads a table that grows, and under it the indexes and columns by which it
 * finds its rows. After a change of a statement: `npx vitest run test/database/plans.test.ts -u`, and read the difference.
 */
describe.each(databases)('the plans of all statements on %s', (kind: DatabaseKind) => {
  it('use the indexes and columns of the committed table, and read no more than they need', async () => {
    const plans = await PLANS[kind](everyStatement(kind));
    const unbounded = [...plans].flatMap(([shape, { by, accesses }]) => {
      const isShort = reasonIn({ ...WALKS, ...SHORT }, shape) !== undefined;
      const found = accesses.filter(
        (one) => isOffKey(one, shape) || isComparedLate(one) || (isUnbounded(one) && !isShort),
      );
      return found.map((one) => `${by}: ${textOf(one)} in ${shape}`);
    });
    expect.soft(unbounded).toEqual([]);
    await expect(tableOf(kind, plans)).toMatchFileSnapshot(`plans/${kind}.txt`);
  });
});

it('regards every table as one that grows or as one that stays small', () => {
  expect([...SMALL, ...GROWING].sort()).toEqual(tenantTables.map(snakeCase).sort());
});

it('has an index for every foreign key, so that deletions do not scan a table for children', async () => {
  await using place = await createDatabase('sqlite');
  const settings = { databaseUrl: undefined, dataDir: place.dataDir, poolSize: 1 };
  await migrate(settings);
  const database = connect(settings);
  const ask = (sql: string): Promise<{ name: string; id: number; from: string }[]> => database.reader.raw(sql);
  const missing: string[] = [];
  for (const { name } of await ask(`select name from sqlite_master where type = 'table'`)) {
    const keys = new Map<number, string[]>();
    for (const { id, from } of await ask(`pragma foreign_key_list(${name})`))
      keys.set(id, [...(keys.get(id) ?? []), from]);
    const indexes: string[][] = [];
    for (const index of await ask(`pragma index_list(${name})`))
      indexes.push((await ask(`pragma index_info(${index.name})`)).map((column) => column.name));
    for (const columns of keys.values())
      if (!indexes.some((index) => columns.every((column) => index.slice(0, columns.length).includes(column))))
        missing.push(`${name} (${columns})`);
  }
  await database.close();
  expect(missing).toEqual(['active_scripts (tenant_id,token_type,number)']); // Has only two rows per tenant.
});
