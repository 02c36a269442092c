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
  /** Requests in all processes, as far as this one knows. */
  total: number;
  /** Requests that other processes do not know about yet. */
  unshared: number;
  /** Factor of the limit: 1, or more if several clients share the counter. */
  multiple: number;
}

export type Counters = Map<string, Counter>;

/** The key of the counter of all clients of a tenant. */
export const TENANT = 'tenant';

/** Returns the counter of this key, or the shared one of the tenant if there are too many counters. */
export function counterOf(counters: Counters, tenantId: string, limitName: string, key: string): Counter {
  const id = `${tenantId} ${limitName} ${key}`;
  const known = counters.get(id);
  if (known) return known;
  const isFull = key !== TENANT && counters.size >= MAX_COUNTERS;
  const counter = { tenantId, total: 0, unshared: 0, multiple: isFull || key === TENANT ? TENANT_MULTIPLE : 1 };
  const [kind] = key.split(' ', 1);
  const shared = isFull ? counters.get(`${tenantId} ${limitName} other ${kind}`) : undefined;
  if (shared) return shared;
  counters.set(isFull ? `${tenantId} ${limitName} other ${kind}` : id, counter);
  return counter;
}
