import type { Database } from '../../database/database.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import type { Tenants } from '../../tenants.ts';

type KeyState = Pick<SigningKeyRow, 'tenantId' | 'algorithm' | 'state' | 'createdAt' | 'retireAt'>;

/** The steps of a rotation (`key-rotation.ts`). Several processes may take the same step; repeating one has no effect. */
export interface KeySteps {
  due(keys: readonly KeyState[], rotationDays: number | undefined): 'publish' | 'advance' | undefined;
  advance(store: TenantStore): Promise<unknown>;
  publish(store: TenantStore, keys: readonly KeyState[]): Promise<unknown>;
}

/** Takes the due steps of all tenants: one query for all, then a transaction for each tenant with a due step. */
export async function takeDueKeySteps(
  { database, tenants, rotationDays }: { database: Database; tenants: Tenants; rotationDays: number | undefined },
  steps: KeySteps,
): Promise<void> {
  const columns = ['tenantId', 'algorithm', 'state', 'createdAt', 'retireAt'];
  const keys: KeyState[] = await database.reader('signingKeys').select(columns);
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
