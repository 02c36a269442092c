import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { Tenant } from '../../tenants.ts';
import { MANAGEMENT_API, type SystemApi } from '../urns.ts';

/**
 * Who may call the Management API now, or another API of ours, whatever an old token still says: the application lives, is a
 * machine, and holds the scope through a role. Cached like all configuration, dropped on write.
 */
export class ManagementAccess {
  readonly #cache: TenantCache;

  readonly #api: SystemApi;

  constructor(cache: TenantCache, api = MANAGEMENT_API) {
    this.#cache = cache;
    this.#api = api;
  }

  /** Its indicator first, then the aliases of it: the audiences that its tokens may have. */
  audiencesOf({ id, store }: Tenant): Promise<[indicator: string, ...aliases: string[]]> {
    const { resourceId } = this.#api;
    return this.#cache.get(id, `${resourceId}:audiences`, async () => {
      const { indicator } = await store.get('resources', { id: resourceId });
      const aliases = await store.from('resourceAliases').where({ resourceId }).select('indicator');
      return [indicator, ...aliases.map(({ indicator }) => indicator)];
    });
  }

  isEntitled({ id, store }: Tenant, applicationId: string): Promise<boolean> {
    return this.#cache.get(id, `${this.#api.resourceId}:caller:${applicationId}`, async () => {
      const held = await store
        .from('applicationRoles')
        .join(store.rows('roleScopes'), 'roleScopes.roleId', 'applicationRoles.roleId')
        .join(store.rows('applications'), 'applications.id', 'applicationRoles.applicationId')
        .where({ applicationId, scopeId: this.#api.scopeId, 'applications.type': 'MachineToMachine' })
        .first('applicationId');
      return held !== undefined;
    });
  }
}
