import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { Tenant } from '../../tenants.ts';
import { MANAGEMENT_API, type SystemApi } from '../urns.ts';

/**
 * Decides which applications may call the Management API, or another API of the service, at this moment, even if an
 * older token has the scope: the application must exist, be machine-to-machine, and have the scope through a role.
 * Cached like all configuration and dropped on write.
 */
export class ManagementAccess {
  readonly #cache: TenantCache;

  readonly #api: SystemApi;

  constructor(cache: TenantCache, api = MANAGEMENT_API) {
    this.#cache = cache;
    this.#api = api;
  }

  /** Audiences that are accepted in tokens for the API: its indicator, then the aliases. */
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
