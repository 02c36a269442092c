import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Table } from '../tables/index.ts';
import type { Commits, Written } from './commits.ts';

export interface TenantCacheOptions {
  commits: Commits;
  clock: Clock;
  /** A committed write to one of these tables drops all cached values of the tenant. */
  tables: readonly Table[];
  /** Longest time that a change by another process may go unseen if its notice is lost, even if the clock jumps. */
  maxAgeMs: number;
}

/** Limits of the cache; the least recently used entries are dropped first. */
const MAX_TENANTS = 1_000;
const MAX_ENTRIES_PER_TENANT = 2_000;

interface CacheEntry {
  value: Promise<unknown>;
  readAt: number;
}

/**
 * Caches a tenant's configuration that every request needs: clients, resources, keys, the active script. Never users,
 * grants or tokens. A write also drops reads that started before it, so a process always sees its own writes.
 */
export class TenantCache {
  readonly #entries = new LRUCache<string, LRUCache<string, CacheEntry>>({ max: MAX_TENANTS });
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
    const cached = ofTenant.get(key);
    const now = this.#clock();
    if (cached && Math.abs(now - cached.readAt) < this.#maxAgeMs) return cached.value as Promise<T>;

    const value = read();
    const entries = ofTenant;
    entries.set(key, { value, readAt: now });
    value.catch(() => entries.delete(key)); // Failures are not cached.
    return value;
  }
}
