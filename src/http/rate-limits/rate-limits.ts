import { networkOf } from '../../base/address.ts';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observe/logger.ts';
import { type Counter, type Counters, counterOf, TENANT } from './memory-counters.ts';
import { addToCounters } from './shared-counters.ts';

const WINDOW_MS = 60_000;
/** How long other processes may not know about a request. */
const SHARE_MS = 100;

export type RateLimitName = 'token' | 'subject-tokens' | 'authorization';

export interface Verdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
}

/** A request whose client is not authenticated yet. It counts for its address. */
export class Admission {
  readonly verdict: Verdict;
  readonly #onProof: ((clientId: string) => Verdict | undefined) | undefined;
  #isProven = false;

  constructor(verdict: Verdict, onProof?: (clientId: string) => Verdict | undefined) {
    this.verdict = verdict;
    this.#onProof = onProof;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  /** Counts the request for this client instead of its address. @returns the verdict for the client, the first time */
  prove(clientId: string): Verdict | undefined {
    if (this.#isProven) return undefined;
    this.#isProven = true;
    return this.#onProof?.(clientId);
  }
}

/** A client secret in a request. It is only compared if the address has exceeded its limit. */
export interface PresentedSecret {
  clientId: string;
  /** Resolves to undefined if no client with this id has a secret. */
  isCorrect(): Promise<boolean | undefined>;
}

interface AdmissionOptions {
  /** The client id in the request. Undefined if authenticated clients have no limit. */
  namedClientId?: string | undefined;
  presentedSecret?: PresentedSecret | undefined;
}

export interface RateLimitsOptions {
  /** Requests per minute for one client from one address, and for one address without an authenticated client. */
  limits: Record<RateLimitName, number>;
  database: Database;
  clock: Clock;
  logger: Logger;
  /** For metrics. */
  onLimited?: ((limit: RateLimitName) => void) | undefined;
}

/**
 * Counts requests in windows of one minute, over all processes. Each process counts on its own and adds to a shared
 * counter at most 100 ms later. On SQLite there is one process and nothing to share. Rejected: one write per request,
 * which costs more than the token.
 *
 * A request only counts for its address until the client is authenticated. So an anonymous caller cannot use up the
 * limit of a client or of a tenant.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions;
  #windowStart = 0;
  /** Separate from clients, so that any number of addresses leaves room for them. */
  #addresses: Counters = new Map();
  #clients: Counters = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RateLimitsOptions) {
    this.#options = options;
  }

  /** Counts a request of an authenticated client, for the client at this address and for its tenant. */
  take(tenantId: string, name: RateLimitName, client: string, ip: string | undefined): Verdict {
    this.#roll();
    const own = counterOf(this.#clients, tenantId, name, `client ${networkOf(ip)} ${client}`);
    const ofTenant = counterOf(this.#clients, tenantId, name, TENANT);
    this.#count(own, 1);
    this.#count(ofTenant, 1);
    return this.#verdict(
      name,
      own,
      own.total <= this.#maxOf(name, own) && ofTenant.total <= this.#maxOf(name, ofTenant),
    );
  }

  /**
   * Counts a request for its address until its client is authenticated. It is refused if the client that it names, or
   * the tenant, has reached its limit, although it does not count for them yet. A client that sends its correct secret
   * is admitted even if the address has reached its limit.
   */
  async admit(
    tenantId: string,
    name: RateLimitName,
    ip: string | undefined,
    { namedClientId, presentedSecret }: AdmissionOptions = {},
  ): Promise<Admission> {
    this.#roll();
    const network = networkOf(ip);
    for (const key of namedClientId === undefined ? [] : [`client ${network} ${namedClientId}`, TENANT]) {
      const known = this.#clients.get(`${tenantId} ${name} ${key}`);
      if (known && known.total >= this.#maxOf(name, known)) return new Admission(this.#verdict(name, known, false));
    }
    const address = counterOf(this.#addresses, tenantId, name, `address ${network}`);
    this.#count(address, 1);
    const isAllowed =
      address.total <= this.#maxOf(name, address) ||
      (presentedSecret !== undefined && (await this.#isProven(tenantId, name, network, presentedSecret)));
    return new Admission(this.#verdict(name, address, isAllowed), (client) => {
      this.#count(address, -1);
      return namedClientId === undefined ? undefined : this.take(tenantId, name, client, ip);
    });
  }

  /** Wrong secrets count for the client at this address. Once they reach the limit, no more secrets are compared. */
  async #isProven(tenantId: string, name: RateLimitName, network: string, { clientId, isCorrect }: PresentedSecret) {
    const key = `secret ${network} ${clientId}`;
    const wrong = this.#addresses.get(`${tenantId} ${name} ${key}`);
    if (wrong && wrong.total >= this.#maxOf(name, wrong)) return false;
    const isProven = await isCorrect();
    if (isProven === false) this.#count(counterOf(this.#addresses, tenantId, name, key), 1);
    return isProven === true;
  }

  /** Shares the remaining counts with other processes. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#share();
  }

  #roll(): void {
    const now = this.#options.clock();
    const start = now - (now % WINDOW_MS);
    if (start === this.#windowStart) return;
    this.#windowStart = start;
    this.#addresses = new Map();
    this.#clients = new Map();
  }

  #maxOf(name: RateLimitName, { multiple }: Counter): number {
    return this.#options.limits[name] * multiple;
  }

  #verdict(name: RateLimitName, { total }: Counter, isAllowed: boolean): Verdict {
    if (!isAllowed) this.#options.onLimited?.(name);
    const limit = this.#options.limits[name];
    const leftMs = this.#windowStart + WINDOW_MS - this.#options.clock();
    return {
      isAllowed,
      limit,
      remaining: isAllowed ? Math.max(0, limit - total) : 0,
      resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    };
  }

  #count(counter: Counter, points: 1 | -1): void {
    counter.total += points;
    counter.unshared += points;
    if (this.#options.database.kind === 'sqlite') return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#share();
    }, SHARE_MS);
  }

  async #share(): Promise<void> {
    const { database, logger } = this.#options;
    const windowStart = this.#windowStart;
    const unshared = [...this.#addresses, ...this.#clients].filter(([, { unshared }]) => unshared !== 0);
    if (database.kind === 'sqlite' || unshared.length === 0) return;
    const rows = unshared.map(([name, { tenantId, unshared }]) => ({
      tenantId,
      key: hashOf(`${windowStart} ${name}`), // A hash, because the client id in the name has any length.
      points: unshared,
      expiresAt: windowStart + 2 * WINDOW_MS,
    }));
    for (const [, counter] of unshared) counter.unshared = 0;
    try {
      const known = new Map((await addToCounters(database, rows)).map(({ key, points }) => [key, points]));
      for (const [index, [, counter]] of unshared.entries()) {
        const total = known.get(rows[index]?.key as string);
        if (total !== undefined) counter.total = total + counter.unshared;
      }
    } catch (err) {
      logger.warn({ err }, 'Rate limits could not be shared between processes; each process counts on its own');
    }
  }
}

/** Returns the rate limit headers of a response. A refusal also has `Retry-After`. */
export function rateLimitHeaders({ isAllowed, limit, remaining, resetSeconds }: Verdict): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    ...(!isAllowed && { 'Retry-After': String(resetSeconds) }),
  };
}
