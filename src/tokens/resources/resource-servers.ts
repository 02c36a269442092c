import { errors } from 'oidc-provider';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { isReservedIndicator, isSystemResource, ORGANIZATIONS_RESOURCE } from '../urns.ts';
import type { Organizations } from './organizations.ts';

/** A registered resource (RFC 8707). */
export interface KnownResource {
  id: string;
  indicator: string;
  /** Seconds. */
  accessTokenTtl: number;
  /** True for the service's own APIs, for which users get no tokens. */
  isMachineOnly: boolean;
}

/** Lifetime of an access token unless its resource sets another. */
export const DEFAULT_TTL_SECONDS = 3_600;

/** The reserved resource, whose scopes are organization scopes. It is not a row, so it cannot be listed. */
const ORGANIZATIONS: KnownResource = {
  id: 'organizations',
  indicator: ORGANIZATIONS_RESOURCE,
  accessTokenTtl: DEFAULT_TTL_SECONDS,
  isMachineOnly: false,
};

/** Returns the ids of a user's roles. Never cached, so that removing a role takes effect at once. */
export async function roleIdsOf(store: TenantStore, userId: string): Promise<string[]> {
  const rows = await store.from('userRoles').where({ userId }).select('roleId');
  return rows.map(({ roleId }) => roleId);
}

/** A tenant's resources, and the scopes that users and applications have on them. The roles of users are never cached. */
export class ResourceServers {
  readonly #store: TenantStore;
  readonly #cache: TenantCache;
  readonly #organizations: Organizations;

  constructor(store: TenantStore, cache: TenantCache, organizations: Organizations) {
    this.#store = store;
    this.#cache = cache;
    this.#organizations = organizations;
  }

  /** Finds a resource by its indicator or an alias. The comparison is exact; a trailing slash makes a difference. */
  async find(indicator: string): Promise<KnownResource | undefined> {
    if (isReservedIndicator(indicator)) return indicator === ORGANIZATIONS.indicator ? ORGANIZATIONS : undefined;
    return this.#cache.get(this.#store.tenantId, `resource:${indicator}`, async () => {
      const row = (await this.#store.find('resources', { indicator })) ?? (await this.#findByAlias(indicator));
      return row && { ...row, isMachineOnly: isSystemResource(row.id) };
    });
  }

  async #findByAlias(indicator: string) {
    const alias = await this.#store.find('resourceAliases', { indicator });
    return alias && this.#store.find('resources', { id: alias.resourceId });
  }

  /** The resource of a client credentials request that names none. */
  defaultIndicator(): Promise<string | undefined> {
    // Not below `resource:`, because clients choose what follows that prefix.
    return this.#cache.get(this.#store.tenantId, 'default-resource', async () => {
      return (await this.#store.find('resources', { isDefault: true }))?.indicator;
    });
  }

  async scopeNames(resourceId: string): Promise<string[]> {
    if (resourceId === ORGANIZATIONS.id) return this.#organizations.scopeNames();
    return this.#cache.get(this.#store.tenantId, `scopes:${resourceId}`, async () => {
      const rows = await this.#store.from('scopes').where({ resourceId }).select('name');
      return rows.map(({ name }) => name);
    });
  }

  /** Scopes of an application's roles on a resource; with `organizationId`, of its roles in that organization. */
  async scopesOfApplication(applicationId: string, resourceId: string, organizationId?: string): Promise<string[]> {
    if (resourceId === ORGANIZATIONS.id) return this.#organizations.scopesOfApplication(applicationId, organizationId);
    if (organizationId !== undefined) {
      const where = { applicationId, organizationId };
      const [ofRoles, held] = await Promise.all([
        this.#scopesByRole(resourceId, 'organizationRoleResourceScopes', 'organizationRoleId'),
        this.#store.from('organizationApplicationRoles').where(where).select('organizationRoleId'),
      ]);
      return [...new Set(held.flatMap(({ organizationRoleId }) => ofRoles.get(organizationRoleId) ?? []))];
    }
    return this.#cache.get(this.#store.tenantId, `application-scopes:${applicationId}:${resourceId}`, async () => {
      const rows: { name: string }[] = await this.#store
        .from('applicationRoles')
        .join(this.#store.rows('roleScopes'), 'roleScopes.roleId', 'applicationRoles.roleId')
        .join(this.#store.rows('scopes'), 'scopes.id', 'roleScopes.scopeId')
        .where({ applicationId, resourceId })
        .distinct('scopes.name as name');
      return rows.map(({ name }) => name);
    });
  }

  /**
   * Scopes of a user on a resource: of roles and organization roles or, with `organizationId`, of the roles there. The
   * scopes of a role are cached; the roles of a user never are. Pass `roleIds` if they were read already.
   */
  async scopesOfUser(
    { userId, roleIds }: { userId: string; roleIds?: readonly string[] | undefined },
    resourceId: string,
    organizationId?: string,
  ): Promise<string[]> {
    if (resourceId === ORGANIZATIONS.id) return this.#organizations.scopesOfUser(userId, organizationId);
    const [ofRoles, ofOrganizationRoles] = await Promise.all([
      this.#scopesByRole(resourceId, 'roleScopes', 'roleId'),
      this.#scopesByRole(resourceId, 'organizationRoleResourceScopes', 'organizationRoleId'),
    ]);
    const held = new Set<string>();
    const collect = (scopes: ReadonlyMap<string, string[]>, ids: readonly string[]) => {
      for (const id of ids) for (const name of scopes.get(id) ?? []) held.add(name);
    };
    if (organizationId === undefined && ofRoles.size > 0)
      collect(ofRoles, roleIds ?? (await roleIdsOf(this.#store, userId)));
    if (ofOrganizationRoles.size > 0)
      collect(ofOrganizationRoles, await this.#organizations.roleIdsOfUser(userId, organizationId));
    return [...held];
  }

  /** Role id → names of the resource's scopes that the role has. */
  #scopesByRole(
    resourceId: string,
    table: 'roleScopes' | 'organizationRoleResourceScopes',
    column: 'roleId' | 'organizationRoleId',
  ): Promise<Map<string, string[]>> {
    return this.#cache.get(this.#store.tenantId, `${table}:${resourceId}`, async () => {
      const rows = (await this.#store
        .from(table)
        .join(this.#store.rows('scopes'), 'scopes.id', `${table}.scopeId`)
        .where({ resourceId })
        .select(`${table}.${column} as role`, 'scopes.name as name')) as unknown as { role: string; name: string }[];
      const byRole = Map.groupBy(rows, ({ role }) => role);
      return new Map([...byRole].map(([role, scopes]) => [role, scopes.map(({ name }) => name)]));
    });
  }
}

/** Returns requested ∩ held scopes, in the order of the request, without duplicates. */
export function grantedScopes(requested: string | undefined, held: readonly string[]): string {
  const holds = new Set(held);
  return [...new Set((requested ?? '').split(' '))].filter((name) => holds.has(name)).join(' ');
}

/** Makes an indicator safe for an error description: printable ASCII except `"` and `\` (RFC 6749 §5.2). */
const printable = (indicator: string): string =>
  indicator.slice(0, 256).replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');

/** The error for a resource that cannot be requested. @param known the resource if it is registered */
export const unavailableResource = (indicator: string, known?: KnownResource) =>
  new errors.InvalidTarget(
    `resource ${printable(indicator)} is ${known ? 'not available to users' : 'not registered'}`,
  );

/** The error for a refresh with a resource that the authorization request did not name (RFC 8707 §2.2). */
export const resourceNotRequested = (indicator: string) =>
  new errors.InvalidTarget(`resource ${printable(indicator)} was not requested at sign-in`);
