import type { Clock } from './base/clock.ts';
import { isLoopbackHost } from './config/index.ts';
import type { Database } from './database/database.ts';
import { TenantStore } from './database/store/tenant-store.ts';

/** The owner of all rows. A new object is made whenever its row or its endpoints change. */
export interface Tenant {
  id: string;
  name: string;
  /** Public base URL, the first of its endpoints, without a trailing slash. */
  endpoint: string;
  /** Of `endpoint`: what a URL of this tenant begins with. */
  host: string;
  protocol: 'http' | 'https';
  /** Reached from the same machine only, as when it is tried out. */
  isLoopback: boolean;
  /** Likewise: `''` or `/acme`. */
  path: string;
  /** `{endpoint}/oidc`, with the path that issuer has. */
  issuer: string;
  isSuspended: boolean;
  settings: Record<string, unknown>;
  /** Grows with every change of keys, endpoints or settings. */
  version: number;
  store: TenantStore;
}

/** Where a request is for: its tenant, and the path prefix by which it was found (`''` or `/acme`). */
export interface Resolved {
  tenant: Tenant;
  prefix: string;
}

/** The tenant of the first start, by which those who run the service reach it. */
export const DEFAULT_TENANT = 'default';

/** How long a process may serve by what it last read. A change that it is told of is seen at once. */
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
 * What a request is compared with: host in lower case with the port unless it is a default one, and the
 * path without a trailing slash. Not the scheme, which a proxy in front may have taken away.
 */
export function placeOf(endpoint: string): string {
  const { host, pathname } = new URL(endpoint);
  return withoutDefaultPort(host) + pathname.replace(/(?<!\/)\/+$/, '');
}

/** Longest endpoint, in characters: no path is looked at beyond it. */
export const MAX_ENDPOINT_LENGTH = 512;

/** The longest part of a path that may be an endpoint's: it ends where a segment does. */
function longestPrefix(path: string): string {
  const whole = path.replace(/(?<!\/)\/+$/, '');
  return whole.length <= MAX_ENDPOINT_LENGTH ? whole : whole.slice(0, whole.lastIndexOf('/', MAX_ENDPOINT_LENGTH));
}

/** Finds the tenant of a request: the longest endpoint that is a prefix of its URL, never what a token says. */
export class Tenants {
  readonly #database: Database;
  readonly #clock: Clock;
  #byPlace = new Map<string, Tenant>();
  #byId = new Map<string, Tenant>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Changes that were committed here or told by others, and how many of them the last reading has surely seen. */
  #changes = 0;
  #seen = 0;

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

  /** Undefined when several tenants are served and none at this address. */
  async resolve(host: string, path: string): Promise<Resolved | undefined> {
    await this.#refresh();
    const [only] = this.#byId.values();
    const base = withoutDefaultPort(host);
    for (let prefix = longestPrefix(path); ; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
      const tenant = this.#byPlace.get(base + prefix);
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
    if (this.#seen >= changes && Math.abs(this.#clock() - this.#readAt) < REFRESH_MS) return;
    do {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    } while (this.#seen < changes); // The reading that was waited for may have begun before the change.
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
      if (endpoint === undefined) continue; // Deleted: its rows are being removed.
      const known = this.#byId.get(row.id);
      const unchanged =
        known && known.version === row.version && known.endpoint === endpoint && known.isSuspended === row.isSuspended;
      byId.set(row.id, unchanged ? known : this.#tenantOf(row, endpoint));
    }

    const byPlace = new Map<string, Tenant>();
    for (const { url, tenantId } of endpoints) {
      const tenant = byId.get(tenantId);
      if (tenant) byPlace.set(placeOf(url), tenant);
    }
    this.#byId = byId;
    this.#byPlace = byPlace;
    this.#readAt = startedAt;
    this.#seen = changes;
  }
}

/**
 * Counts a change of a tenant's keys, endpoints or settings, in the transaction that makes it: every process builds
 * anew what it made of them. The row stays locked until then, so of two such changes one waits.
 */
export async function countChange(store: TenantStore): Promise<void> {
  await store.acrossTenants().db('tenants').where({ id: store.tenantId }).increment('version', 1);
}
