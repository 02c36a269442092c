import type { Database } from '../../database/database.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import type { Tenants } from '../../tenants.ts';

type Key = Pick<SigningKeyRow, 'tenantId' | 'algorithm' | 'state' | 'createdAt' | 'retireAt'>;

/** The steps themselves, which `key-rotation.ts` knows. Each is repeated without harm by another process. */
export interface KeySteps {
  due(keys: readonly Key[], rotationDays: number | undefined): 'publish' | 'advance' | undefined;
  advance(store: TenantStore): Promise<unknown>;
  publish(store: TenantStore, keys: readonly Key[]): Promise<unknown>;
}

/** One query for all tenants; a transaction only for those whose time has come. */
export async function turnSigningKeys(
  { database, tenants, rotationDays }: { database: Database; tenants: Tenants; rotationDays: number | undefined },
  steps: KeySteps,
): Promise<void> {
  const columns = ['tenantId', 'algorithm', 'state', 'createdAt', 'retireAt'];
  const keys: Key[] = await database.reader('signingKeys').select(columns);
  const configs: { tenantId: string; settings: { rotationDays: number | null } }[] = await database
    .reader('configs')
    .where({ key: 'key-rotation' })
    .select('tenantId', 'settings');
  const ownDays = new Map(configs.map(({ tenantId, settings }) => [tenantId, settings.rotationDays ?? undefined]));

  for (const [tenantId, ofTenant] of Map.groupBy(keys, (key) => key.tenantId)) {
    const step = steps.due(ofTenant, ownDays.get(tenantId) ?? rotationDays);
    const tenant = step && (await tenants.byId(tenantId));
    if (tenant && step) await steps[step](tenant.store, ofTenant);
  }
}
