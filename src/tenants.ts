import type { Clock } from './clock.ts';
import type { Database } from './database/connect.ts';
import { TenantStore } from './database/tenant-store.ts';

/** The owner of all rows. A new object is made whenever its row or its endpoints change. */
export interface Tenant {
  id: string;
  name: string;
  /** Public base URL, the first of its endpoints, without a trailing slash. */
  endpoint: string;
  /** Of `endpoint`: what a URL of this tenant begins with. */
  host: string;
  protocol: 'http' | 'https';
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

/** How long a process may serve by what it last read. A change made in this process is seen at once. */
const REFRESH_MS = 1_000;

interface TenantRow {
  id: string;
  name: string;
  isSuspended: boolean;
  settings: Record<string, unknown>;
  version: number;
}

/** Host in lower case with the port unless it is the scheme's own, and the path without a trailing slash. */
const placeOf = (endpoint: string): string => {
  const { host, pathname } = new URL(endpoint);
  return host + pathname.replace(/\/+$/, '');
};

const withoutDefaultPort = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, '');

/** Finds the tenant of a request: the longest endpoint that is a prefix of its URL, never what a token says. */
export class Tenants {
  readonly #database: Database;
  readonly #clock: Clock;
  #byPlace = new Map<string, Tenant>();
  #byId = new Map<string, Tenant>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The next request reads the table again. */
  invalidate(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
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
    for (let prefix = path.replace(/\/+$/, ''); ; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
      const tenant = this.#byPlace.get(base + prefix);
      if (tenant) return { tenant, prefix };
      if (prefix === '') break;
    }
    if (this.#byId.size !== 1 || !only) return undefined;
    const { pathname } = new URL(only.endpoint);
    const prefix = pathname.replace(/\/+$/, '');
    return { tenant: only, prefix: path === prefix || path.startsWith(`${prefix}/`) ? prefix : '' };
  }

  #tenantOf(row: TenantRow, endpoint: string): Tenant {
    const { host, protocol } = new URL(endpoint);
    return {
      ...row,
      endpoint,
      host,
      protocol: protocol === 'https:' ? 'https' : 'http',
      issuer: `${endpoint}/oidc`,
      store: new TenantStore(this.#database, row.id),
    };
  }

  async #refresh(): Promise<void> {
    if (this.#clock() - this.#readAt < REFRESH_MS) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    const startedAt = this.#clock();
    const db = this.#database.reader;
    const rows: TenantRow[] = await db('tenants').select('id', 'name', 'isSuspended', 'settings', 'version');
    const endpoints: { url: string; tenantId: string }[] = await db('tenantEndpoints')
      .select('url', 'tenantId')
      .orderBy('position');

    const byId = new Map<string, Tenant>();
    for (const row of rows) {
      const endpoint = endpoints.find(({ tenantId }) => tenantId === row.id)?.url;
      if (endpoint === undefined) continue; // Half deleted: its rows are being removed.
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
  }
}
