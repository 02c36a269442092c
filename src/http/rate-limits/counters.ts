import type { SharedLimit } from './rate-limits.ts';

/** The limit of all clients of a tenant together, as a multiple of the limit of one client. */
const TENANT_MULTIPLE = 50;
/**
 * Most counters of one window, for addresses and for clients each. Beyond it, the further clients (or addresses) of a
 * tenant share one counter with the tenant's limit.
 */
const MAX_COUNTERS = 100_000;

/** A counter of one window in this process. */
export interface Counter {
  tenantId: string;
  /** Names the tenant, the limit and the client or address. */
  name: string;
  windowStart: number;
  /** Requests in all processes, as far as this one knows. */
  total: number;
  /** Requests that other processes do not know about yet. */
  unshared: number;
  /** True if it waits to be shared with other processes. */
  isWaiting: boolean;
  /** Factor of the limit: 1, or more if several clients share the counter. */
  multiple: number;
}

/** The key of the counter of all clients of a tenant. */
export const TENANT = 'tenant';

/** The counters of one window, of clients or of addresses. */
export class Counters {
  readonly #windowStart: number;
  readonly #byName = new Map<string, Counter>();

  constructor(windowStart: number) {
    this.#windowStart = windowStart;
  }

  find(tenantId: string, limit: SharedLimit, key: string): Counter | undefined {
    return this.#byName.get(`${tenantId} ${limit} ${key}`);
  }

  /** Returns the counter of this key, or the shared one of the tenant if there are too many counters. */
  of(tenantId: string, limit: SharedLimit, key: string): Counter {
    const known = this.find(tenantId, limit, key);
    if (known) return known;
    const isFull = key !== TENANT && this.#byName.size >= MAX_COUNTERS;
    const name = `${tenantId} ${limit} ${isFull ? `other ${key.split(' ', 1)}` : key}`;
    const multiple = isFull || key === TENANT ? TENANT_MULTIPLE : 1;
    const windowStart = this.#windowStart;
    const counter = { tenantId, name, windowStart, total: 0, unshared: 0, isWaiting: false, multiple };
    return this.#byName.getOrInsert(name, counter);
  }
}
