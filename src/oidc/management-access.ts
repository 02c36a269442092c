import type { TenantCache } from '../database/tenant-cache.ts';
import type { Tenant } from '../tenants.ts';
import { MANAGEMENT_RESOURCE_ID, MANAGEMENT_SCOPE_ID } from './urns.ts';

/**
 * Who may call the Management API now, whatever an old token still says: the application lives, is a
 * machine, and holds the scope through a role. Cached like all configuration, dropped on write.
 */
export class ManagementAccess {
  readonly #cache: TenantCache;

  constructor(cache: TenantCache) {
    this.#cache = cache;
  }

  /** The audience its tokens must have. */
  indicatorOf({ id, store }: Tenant): Promise<string> {
    return this.#cache.get(
      id,
      'management:indicator',
      async () => (await store.get('resources', { id: MANAGEMENT_RESOURCE_ID })).indicator,
    );
  }

  isEntitled({ id, store }: Tenant, applicationId: string): Promise<boolean> {
    return this.#cache.get(id, `management:caller:${applicationId}`, async () => {
      const held = await store
        .from('applicationRoles')
        .join(store.rows('roleScopes'), 'roleScopes.roleId', 'applicationRoles.roleId')
        .join(store.rows('applications'), 'applications.id', 'applicationRoles.applicationId')
        .where({ applicationId, scopeId: MANAGEMENT_SCOPE_ID, 'applications.type': 'MachineToMachine' })
        .first('applicationId');
      return held !== undefined;
    });
  }
}
