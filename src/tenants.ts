import type { Clock } from './base/clock.ts';
import { isLoopbackHost } from './config/index.ts';
import type { Database } from './database/database.ts';
import { TenantStore } from './database/store/tenant-store.ts';

/** A tenant, which owns all other rows. Immutable: a change of its row or endpoints creates a new object. */
export interface Tenant {
  id: string;
  name: string;
  /** Public base URL without a trailing slash: the first of the tenant's endpoints. */
  endpoint: string;
  /** Host and port of `endpoint`. */
  host: string;
  protocol: 'http' | 'https';
  /** True if `endpoint` is reachable only from the same machine, as in a local trial. */
  isLoopback: boolean;
  /** Path of `endpoint`: `''` or `/acme`. */
  path: string;
  /** The OIDC issuer: `{endpoint}/oidc`. */
  issuer: string;
  isSuspended: boolean;
  settings: Record<string, unknown>;
  /** Incremented by every change of keys, endpoints or settings. */
  version: number;
  store: TenantStore;
}

/** The tenant created at the first start. Operators use it to manage the service. */
export const DEFAULT_TENANT = 'default';

/** How long a process may use the tenants it last read. Announced changes take effect at once. */
const REFRESH_MS = 1_000;

interface TenantRow {
  id: string;
  name: string;
  isSuspended: boolean;
  settings: Record<string, unknown>;
  version: number;
}

const withoutDefaultPort = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, '');

/**
 * Returns the key that requests are matched against: host in lower case, port unless it is a default one, and path
 * without a trailing slash. Excludes the scheme, because a proxy may terminate TLS.
 */
export function endpointKeyOf(endpoint: string): string {
  const { host, pathname } = new URL(endpoint);
  return withoutDefaultPort(host) + pathname.replace(/(?<!\/)\/+$/, '');
}

/** Maximum length of an endpoint in characters. Paths are compared only up to this length. */
export const MAX_ENDPOINT_LENGTH = 512;

/** Returns the longest prefix of a path, in whole segments, that can belong to an endpoint. */
function longestPrefix(path: string): string {
  const whole = path.replace(/(?<!\/)\/+$/, '');
  return whole.length <= MAX_ENDPOINT_LENGTH ? whole : whole.slice(0, whole.lastIndexOf('/', MAX_ENDPOINT_LENGTH));
}

/**
 * Finds the tenant of a request: the one whose endpoint is the longest prefix of the URL. A token never decides it.
 */
export class Tenants {
  readonly #database: Database;
  readonly #clock: Clock;
  #byEndpoint = new Map<string, Tenant>();
  #byId = new Map<string, Tenant>();
  #readAt = Number.NEGATIVE_INFINITY;
  #pendingRead: Promise<void> | undefined;
  /** Number of changes committed here or announced by other processes, and how many of them the last read includes. */
  #changes = 0;
  #changesRead = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    database.commits.listen((_tenantId, written) => {
      if (written.has('tenants')) this.#changes += 1;
    });
  }

  async byId(id: string): Promise<Tenant | undefined> {
    await this.#refresh();
    return this.#byId.get(id);
  }

  async all(): Promise<Tenant[]> {
    await this.#refresh();
    return [...this.#byId.values()];
  }

  /**
   * Returns the tenant at this address, and the path prefix that identified it (`''` or `/acme`). With only one tenant,
   * returns it for any address.
   */
  async resolve(host: string, path: string): Promise<{ tenant: Tenant; prefix: string } | undefined> {
    await this.#refresh();
    const [only] = this.#byId.values();
    const base = withoutDefaultPort(host);
    for (let prefix = longestPrefix(path); ; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
      const tenant = this.#byEndpoint.get(base + prefix);
      if (tenant) return { tenant, prefix };
      if (prefix === '') break;
    }
    if (this.#byId.size !== 1 || !only) return undefined;
    const prefix = only.path;
    return { tenant: only, prefix: path === prefix || path.startsWith(`${prefix}/`) ? prefix : '' };
  }

  #tenantOf(row: TenantRow, endpoint: string): Tenant {
    const { host, hostname, protocol, pathname } = new URL(endpoint);
    return {
      ...row,
      endpoint,
      host,
      protocol: protocol === 'https:' ? 'https' : 'http',
      isLoopback: isLoopbackHost(hostname),
      path: pathname.replace(/(?<!\/)\/+$/, ''),
      issuer: `${endpoint}/oidc`,
      store: new TenantStore(this.#database, row.id),
    };
  }

  async #refresh(): Promise<void> {
    const changes = this.#changes;
    if (this.#changesRead >= changes && Math.abs(this.#clock() - this.#readAt) < REFRESH_MS) return;
    do {
      this.#pendingRead ??= this.#read().finally(() => {
        this.#pendingRead = undefined;
      });
      await this.#pendingRead;
    } while (this.#changesRead < changes); // The awaited read may have started before the change.
  }

  async #read(): Promise<void> {
    const startedAt = this.#clock();
    const changes = this.#changes;
    const db = this.#database.reader;
    const rows: TenantRow[] = await db('tenants').select('id', 'name', 'isSuspended', 'settings', 'version');
    const endpoints: { url: string; tenantId: string }[] = await db('tenantEndpoints')
      .select('url', 'tenantId')
      .orderBy('position');

    const canonical = new Map<string, string>();
    for (const { url, tenantId } of endpoints) if (!canonical.has(tenantId)) canonical.set(tenantId, url);
    const byId = new Map<string, Tenant>();
    for (const row of rows) {
      const endpoint = canonical.get(row.id);
      if (endpoint === undefined) continue; // A deleted tenant whose rows are being removed.
      const known = this.#byId.get(row.id);
      const unchanged =
        known && known.version === row.version && known.endpoint === endpoint && known.isSuspended === row.isSuspended;
      byId.set(row.id, unchanged ? known : this.#tenantOf(row, endpoint));
    }

    const byEndpoint = new Map<string, Tenant>();
    for (const { url, tenantId } of endpoints) {
      const tenant = byId.get(tenantId);
      if (tenant) byEndpoint.set(endpointKeyOf(url), tenant);
    }
    this.#byId = byId;
    this.#byEndpoint = byEndpoint;
    this.#readAt = startedAt;
    this.#changesRead = changes;
  }
}

/**
 * Increments a tenant's version in the transaction that changes its keys, endpoints or settings. Every process then
 * rebuilds what it derived from them. Locks the row until the commit, so concurrent changes wait for each other.
 */
export async function incrementVersion(store: TenantStore): Promise<void> {
  await store.acrossTenants().db('tenants').where({ id: store.tenantId }).increment('version', 1);
}
