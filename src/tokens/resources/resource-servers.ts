import { errors } from 'oidc-provider';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { isReservedIndicator, isSystemResource, ORGANIZATIONS_RESOURCE } from '../urns.ts';
import type { Organizations } from './organizations.ts';

/** A resource as tokens need it (RFC 8707). */
export interface KnownResource {
  id: string;
  indicator: string;
  /** Seconds. */
  accessTokenTtl: number;
  /** An API of the service itself: no grant of a user reaches it. */
  isForMachines: boolean;
}

/** Of an access token whose resource says nothing. */
export const DEFAULT_TTL_SECONDS = 3_600;

/** No row, so it can be neither listed nor deleted; its scopes are the tenant's organization permissions. */
const ORGANIZATIONS: KnownResource = {
  id: 'organizations',
  indicator: ORGANIZATIONS_RESOURCE,
  accessTokenTtl: DEFAULT_TTL_SECONDS,
  isForMachines: false,
};

/** What a tenant's resources are, and who holds which of their scopes. Definitions are cached, holdings never. */
export class ResourceServers {
  readonly #store: TenantStore;
  readonly #cache: TenantCache;
  readonly #organizations: Organizations;

  constructor(store: TenantStore, cache: TenantCache, organizations: Organizations) {
    this.#store = store;
    this.#cache = cache;
    this.#organizations = organizations;
  }

  /** By its indicator or an alias. Exact comparison, letter by letter: no trailing slash is added or forgiven. */
  async find(indicator: string): Promise<KnownResource | undefined> {
    if (isReservedIndicator(indicator)) return indicator === ORGANIZATIONS.indicator ? ORGANIZATIONS : undefined;
    return this.#cache.get(this.#store.tenantId, `resource:${indicator}`, async () => {
      const row = (await this.#store.find('resources', { indicator })) ?? (await this.#findByAlias(indicator));
      return row && { ...row, isForMachines: isSystemResource(row.id) };
    });
  }

  async #findByAlias(indicator: string) {
    const alias = await this.#store.find('resourceAliases', { indicator });
    return alias && this.#store.find('resources', { id: alias.resourceId });
  }

  /** Of the client credentials grant alone. */
  defaultIndicator(): Promise<string | undefined> {
    // A key of its own kind: what follows `resource:` is for any client to choose.
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

  /**
   * Scopes an application holds on a resource: through its machine-to-machine roles or, when an organization is named,
   * through the roles it has in that organization alone.
   */
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
   * Scopes a user holds on a resource: through roles and through organization roles, or, when an
   * organization is named, through the roles held in it alone. Who has which role is never cached;
   * what a role holds is. `roleIds` may be given where they were read already.
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
    if (organizationId === undefined && ofRoles.size > 0) collect(ofRoles, roleIds ?? (await this.#roleIdsOf(userId)));
    if (ofOrganizationRoles.size > 0)
      collect(ofOrganizationRoles, await this.#organizations.roleIdsOfUser(userId, organizationId));
    return [...held];
  }

  async #roleIdsOf(userId: string): Promise<string[]> {
    const rows = await this.#store.from('userRoles').where({ userId }).select('roleId');
    return rows.map(({ roleId }) => roleId);
  }

  /** Role → the names of the resource's scopes it holds. */
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

/** Requested ∩ held, in the request's order, each once. */
export function grantedScopes(requested: string | undefined, held: readonly string[]): string {
  const holds = new Set(held);
  return [...new Set((requested ?? '').split(' '))].filter((name) => holds.has(name)).join(' ');
}

/** Printable, without the two letters that RFC 6749 §5.2 keeps out of descriptions. */
const printable = (indicator: string): string =>
  indicator.slice(0, 256).replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');

/** @param known undefined when it is not registered, as opposed to closed to users */
export const notOpen = (indicator: string, known?: KnownResource) =>
  new errors.InvalidTarget(`resource ${printable(indicator)} is ${known ? 'not open to users' : 'not registered'}`);

/** RFC 8707 §2.2: a refresh names one of the resources that the authorization request named. */
export const notAskedFor = (indicator: string) =>
  new errors.InvalidTarget(`resource ${printable(indicator)} was not asked for at sign-in`);

/** As oidc-provider takes a resource: always a signed JWT with one audience. */
export function resourceServerInfo({
  audience,
  scope,
  ttl,
  algorithm,
}: {
  audience: string;
  scope: string;
  /** Seconds. */
  ttl: number;
  algorithm: string;
}) {
  return {
    audience,
    scope,
    accessTokenTTL: ttl,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: algorithm as 'ES256' } },
  };
}
