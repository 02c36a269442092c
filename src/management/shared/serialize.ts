import type { TenantStore } from '../../database/store/tenant-store.ts';
import { MANAGEMENT_RESOURCE_ID } from '../../tokens/urns.ts';

/**
 * Lets changes of a tenant run one after another, from here to the end of the transaction. Call it before the check of a
 * rule about several rows that no index can express. Every tenant has the row that it locks.
 */
export async function serialize(store: TenantStore): Promise<void> {
  await store.lock('resources', { id: MANAGEMENT_RESOURCE_ID });
}
