import { lookup, Resolver } from 'node:dns/promises';

/** Two tries, the first of 1.5 s and a longer second one, fit into the 5 s that a connection may take. */
const resolver = new Resolver({ timeout: 1500, tries: 2 });

/** The system resolver uses a thread of libuv's pool of four, which SQLite and password hashing need too. */
const SYSTEM_LOOKUPS_AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Returns all IPv4 and IPv6 addresses of a name, IPv4 first. Queries the DNS directly, which uses no thread, so that
 * name servers that never respond delay only their owner's deliveries. Falls back to the system resolver for the hosts
 * file, search domains and names without a dot.
 */
export async function resolveName(hostname: string): Promise<string[]> {
  if (!hostname.includes('.')) return systemLookup(hostname);
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return addresses;
  const timedOut = results.find((result) => result.status === 'rejected' && result.reason.code === 'ETIMEOUT');
  if (timedOut?.status === 'rejected') throw timedOut.reason;
  return systemLookup(hostname);
}

async function systemLookup(hostname: string): Promise<string[]> {
  if (running >= SYSTEM_LOOKUPS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    const results = await lookup(hostname, { all: true, order: 'ipv4first' });
    return results.map(({ address }) => address);
  } finally {
    const next = waiting.shift(); // It takes over this slot, so `running` is unchanged.
    if (next) next();
    else running -= 1;
  }
}
