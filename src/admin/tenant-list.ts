import type { Knex } from 'knex';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import type { Listed, PageRequest } from '../http/operations/operation.ts';
import { DEFAULT_TENANT, incrementVersion } from '../tenants.ts';
import { requireFreeEndpoints } from './endpoints.ts';
import { changeIndicators, type Indicators, indicatorsByTenant } from './indicators.ts';

interface TenantRow {
  id: string;
  name: string;
  isSuspended: boolean;
  createdAt: number;
}

/** A tenant in the Operator API. */
export interface TenantEntry extends TenantRow, Indicators {
  /** The first is the canonical one. */
  endpoints: string[];
}

const COLUMNS = ['id', 'name', 'isSuspended', 'createdAt'];

/** Tenants that are served. A tenant without endpoints is being deleted and no longer exists for callers. */
const servedTenants = (db: Knex) => db('tenants').whereIn('id', db('tenantEndpoints').select('tenantId'));

async function withEndpoints(db: Knex, rows: TenantRow[]): Promise<TenantEntry[]> {
  const ids = rows.map(({ id }) => id);
  const endpoints: { tenantId: string; url: string }[] = await db('tenantEndpoints')
    .whereIn('tenantId', ids)
    .orderBy('position')
    .select('tenantId', 'url');
  const byTenant = Map.groupBy(endpoints, ({ tenantId }) => tenantId);
  const indicators = await indicatorsByTenant(db, ids);
  return rows.map((row) => ({
    ...row,
    endpoints: (byTenant.get(row.id) ?? []).map(({ url }) => url),
    ...(indicators.get(row.id) as Indicators),
  }));
}

export async function listTenants(store: TenantStore, { limit, offset }: PageRequest): Promise<Listed<TenantEntry>> {
  const { db } = store.acrossTenants();
  const order = [{ column: 'createdAt', order: 'desc' }, { column: 'id' }];
  const rows: TenantRow[] = await servedTenants(db).orderBy(order).limit(limit).offset(offset).select(COLUMNS);
  const [counted] = await servedTenants(db).count({ total: '*' });
  return { rows: await withEndpoints(db, rows), total: (counted as { total: number }).total };
}

export async function findTenant(store: TenantStore, id: string): Promise<TenantEntry | undefined> {
  const { db } = store.acrossTenants();
  const [entry] = await withEndpoints(db, await servedTenants(db).where({ id }).select(COLUMNS));
  return entry;
}

/** Serializes changes of the list of tenants, so that values unique over all tenants can be checked before a write. */
export async function lockTenantList(store: TenantStore): Promise<void> {
  await store.acrossTenants().db('tenants').where({ id: DEFAULT_TENANT }).forUpdate().first('id');
}

/** `endpoints` are in the form that `normalizedEndpoints` returns. */
export type TenantPatch = Partial<Omit<TenantEntry, 'id' | 'createdAt'>>;

/** @throws 404 `entity.not_exists`, 422 `entity.unique_integrity_violation`, and what `changeIndicators` throws */
export async function changeTenant(
  store: TenantStore,
  id: string,
  { endpoints, name, isSuspended, ...indicators }: TenantPatch,
): Promise<TenantEntry> {
  if (!(await findTenant(store, id))) throw new ServiceError('entity.not_exists');
  const { db, storeOf } = store.acrossTenants();
  if (endpoints) {
    await requireFreeEndpoints(db, id, endpoints);
    await db('tenantEndpoints').where({ tenantId: id }).delete();
    await db('tenantEndpoints').insert(endpoints.map((url, position) => ({ url, tenantId: id, position })));
  }
  const patch = { ...(name !== undefined && { name }), ...(isSuspended !== undefined && { isSuspended }) };
  if (Object.keys(patch).length > 0) await db('tenants').where({ id }).update(patch);
  await changeIndicators(storeOf(id), indicators);
  await incrementVersion(storeOf(id));
  return (await findTenant(store, id)) as TenantEntry;
}

/**
 * Makes a tenant unreachable from the commit on. The job `tenant-removal` removes its rows later.
 *
 * @throws 404 `entity.not_found`
 */
export async function unlistTenant(store: TenantStore, id: string): Promise<void> {
  const { db, storeOf } = store.acrossTenants();
  if ((await db('tenantEndpoints').where({ tenantId: id }).delete()) === 0) throw new ServiceError('entity.not_found');
  await incrementVersion(storeOf(id));
}
