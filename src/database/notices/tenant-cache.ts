import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Table } from '../tables/index.ts';
import type { Commits, Written } from './commits.ts';

export interface TenantCacheOptions {
  commits: Commits;
  clock: Clock;
  /** A committed write to one of these drops all that is kept of that tenant. */
  tables: readonly Table[];
  /** How long a change made by another process may go unseen where its notice is missed, whichever way the clock jumps. */
  maxAgeMs: number;
}

/** Kept at once; what was used longest ago goes first. */
const MAX_TENANTS = 1_000;
const MAX_ENTRIES_PER_TENANT = 2_000;

interface Entry {
  value: Promise<unknown>;
  readAt: number;
}

/**
 * What a tenant configures and every request asks for: clients, resources, keys, the active script.
 * Never users, grants or tokens. A read that began before a write is dropped with the rest, so a
 * process always sees its own writes.
 */
export class TenantCache {
  readonly #entries = new LRUCache<string, LRUCache<string, Entry>>({ max: MAX_TENANTS });
  readonly #clock: Clock;
  readonly #maxAgeMs: number;

  constructor({ commits, clock, tables, maxAgeMs }: TenantCacheOptions) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
    const watched = new Set<Written>(tables);
    commits.listen((tenantId, written) => {
      for (const table of written) if (watched.has(table)) this.#entries.delete(tenantId);
    });
  }

  get<T>(tenantId: string, key: string, read: () => Promise<T>): Promise<T> {
    let ofTenant = this.#entries.get(tenantId);
    if (!ofTenant) {
      ofTenant = new LRUCache({ max: MAX_ENTRIES_PER_TENANT });
      this.#entries.set(tenantId, ofTenant);
    }
    const known = ofTenant.get(key);
    const now = this.#clock();
    if (known && Math.abs(now - known.readAt) < this.#maxAgeMs) return known.value as Promise<T>;

    const value = read();
    const entries = ofTenant;
    entries.set(key, { value, readAt: now });
    value.catch(() => entries.delete(key)); // A failure is not remembered.
    return value;
  }
}
