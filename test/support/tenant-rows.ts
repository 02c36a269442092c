import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { tenantTables } from '../../src/database/tables/index.ts';

/** All tables except those that a running service writes in the background. */
const TABLES = tenantTables.filter((table) => table !== 'figures' && table !== 'rateLimits');

/** Every row of a tenant without its tenant id: tables in order, rows as text so that two dumps can be compared. */
export type TenantRows = Record<string, string[]>;

/** Reads without the tenant store, because the tests verify its filter. */
export async function dumpTenant(database: Database, tenantId: string): Promise<TenantRows> {
  const rows: TenantRows = {};
  for (const table of TABLES) {
    const found: { tenantId: string }[] = await database.reader(table).where({ tenantId });
    rows[table] = found.map(({ tenantId: _, ...row }) => JSON.stringify(row)).sort();
  }
  return rows;
}

export async function loadTenant(database: Database, tenantId: string, rows: TenantRows): Promise<void> {
  await new TenantStore(database, tenantId).transaction(async (store) => {
    for (const table of TABLES)
      await store.add(
        table,
        (rows[table] ?? []).map((row) => JSON.parse(row)),
      );
  });
}

export async function eraseTenant(database: Database, tenantId: string): Promise<void> {
  await database.transaction(async (db) => {
    for (const table of TABLES.toReversed()) await db(table).where({ tenantId }).delete();
  });
}

/** Returns the same rows with other ids. */
export function renamed(rows: TenantRows, ids: ReadonlyMap<string, string>): TenantRows {
  let text = JSON.stringify(rows);
  for (const [from, to] of ids) text = text.replaceAll(from, to);
  return JSON.parse(text) as TenantRows;
}

export async function addTenant(database: Database, id: string): Promise<void> {
  await database.write(async (db) => {
    await db('tenants').insert({ id, name: id, settings: '{}', createdAt: Date.now() });
    await db('tenantEndpoints').insert({ url: `https://${id}.example`, tenantId: id, position: 0 });
  });
}
