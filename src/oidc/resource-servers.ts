import { errors } from 'oidc-provider';
import type { TenantCache } from '../database/tenant-cache.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { isSystemResource, ORGANIZATION } from './urns.ts';

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

/** What a tenant's resources are, and who holds which of their scopes. Definitions are cached, holdings never. */
export class ResourceServers {
  readonly #store: TenantStore;
  readonly #cache: TenantCache;

  constructor(store: TenantStore, cache: TenantCache) {
    this.#store = store;
    this.#cache = cache;
  }

  /** Exact comparison, letter by letter: no trailing slash is added or forgiven. */
  find(indicator: string): Promise<KnownResource | undefined> {
    return this.#cache.get(this.#store.tenantId, `resource:${indicator}`, async () => {
      const row = await this.#store.find('resources', { indicator });
      return row && { ...row, isForMachines: isSystemResource(row.id) };
    });
  }

  /** Of the client credentials grant alone. */
  defaultIndicator(): Promise<string | undefined> {
    // A key of its own kind: what follows `resource:` is for any client to choose.
    return this.#cache.get(this.#store.tenantId, 'default-resource', async () => {
      return (await this.#store.find('resources', { isDefault: true }))?.indicator;
    });
  }

  scopeNames(resourceId: string): Promise<string[]> {
    return this.#cache.get(this.#store.tenantId, `scopes:${resourceId}`, async () => {
      const rows = await this.#store.from('scopes').where({ resourceId }).select('name');
      return rows.map(({ name }) => name);
    });
  }

  /** Scopes an application holds on a resource through its machine-to-machine roles. */
  scopesOfApplication(applicationId: string, resourceId: string): Promise<string[]> {
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
    { userId, roleIds }: { userId: string; roleIds?: readonly string[] },
    resourceId: string,
    organizationId?: string,
  ): Promise<string[]> {
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
      collect(ofOrganizationRoles, await this.#organizationRoleIdsOf(userId, organizationId));
    return [...held];
  }

  async #roleIdsOf(userId: string): Promise<string[]> {
    const rows = await this.#store.from('userRoles').where({ userId }).select('roleId');
    return rows.map(({ roleId }) => roleId);
  }

  async #organizationRoleIdsOf(userId: string, organizationId?: string): Promise<string[]> {
    const where = { userId, ...(organizationId !== undefined && { organizationId }) };
    const rows = await this.#store.from('organizationUserRoles').where(where).select('organizationRoleId');
    return rows.map(({ organizationRoleId }) => organizationRoleId);
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

  /** Organization scopes a user holds in an organization; undefined when not a member. */
  async organizationScopesOfUser(userId: string, organizationId: string): Promise<string[] | undefined> {
    if (!(await this.#store.find('organizationUsers', { organizationId, userId }))) return undefined;
    return this.#organizationScopes('organizationUserRoles', { organizationId, userId });
  }

  /** The same for a machine-to-machine application. */
  async organizationScopesOfApplication(applicationId: string, organizationId: string): Promise<string[] | undefined> {
    if (!(await this.#store.find('organizationApplications', { organizationId, applicationId }))) return undefined;
    return this.#organizationScopes('organizationApplicationRoles', { organizationId, applicationId });
  }

  async #organizationScopes(
    members: 'organizationUserRoles' | 'organizationApplicationRoles',
    member: Record<string, string>,
  ): Promise<string[]> {
    const rows = await this.#store
      .from(members)
      .join(
        this.#store.rows('organizationRoleScopes'),
        'organizationRoleScopes.organizationRoleId',
        `${members}.organizationRoleId`,
      )
      .join(
        this.#store.rows('organizationScopes'),
        'organizationScopes.id',
        'organizationRoleScopes.organizationScopeId',
      )
      .where(member)
      .select('organizationScopes.name as name');
    return namesOf(rows as { name: string }[]);
  }
}

const namesOf = (rows: readonly { name?: unknown }[]): string[] => [...new Set(rows.map(({ name }) => String(name)))];

/** Requested ∩ held, in the request's order, each once. */
export function grantedScopes(requested: string | undefined, held: readonly string[]): string {
  const holds = new Set(held);
  return [...new Set((requested ?? '').split(' '))].filter((name) => holds.has(name)).join(' ');
}

/** @param who in words: `user`, `subject`, `application` */
export const notMember = (who: string) =>
  Object.assign(new errors.AccessDenied(`the ${who} is not a member of the organization`), { statusCode: 403 });

/** As oidc-provider takes a resource: always a signed JWT with one audience. */
export function resourceServerInfo({
  audience,
  scope,
  ttl,
  algorithm,
}: {
  audience: string;
  scope: string;
  ttl?: number;
  algorithm: string;
}) {
  return {
    audience,
    scope,
    accessTokenTTL: ttl ?? DEFAULT_TTL_SECONDS,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: algorithm as 'ES256' } },
  };
}

export const organizationAudience = (organizationId: string): string => `${ORGANIZATION}${organizationId}`;
