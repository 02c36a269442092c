import { networkOf } from '../../base/address.ts';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observe/logger.ts';
import { addToCounters } from './counters.ts';

const WINDOW_MS = 60_000;
/** How long a request may go uncounted in other processes. */
const SHARE_MS = 100;
/** What all clients of a tenant may do together, in multiples of what one may. */
const TENANT_MULTIPLE = 50;
/** Counters of one window, of addresses and of clients each. Further ones of a tenant share one, with the tenant's multiple. */
const MAX_COUNTERS = 100_000;

export type Limited = 'token' | 'subject-tokens' | 'authorization';

export interface Verdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
}

/** A request of someone who has not proven who they are yet. It counts for its address. */
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

  /** The request now counts for this client, no longer for its address. @returns where the client stands, the first time */
  prove(clientId: string): Verdict | undefined {
    if (this.#isProven) return undefined;
    this.#isProven = true;
    return this.#onProof?.(clientId);
  }
}

/** A secret that a client shows, compared only where the client's address has asked too often. */
export interface ShownSecret {
  clientId: string;
  /** Undefined: there is no such client with a secret. */
  isRight(): Promise<boolean | undefined>;
}

interface Claim {
  /** The client it says it is from; undefined where a proven client may ask as often as it needs. */
  claimed?: string | undefined;
  shown?: ShownSecret | undefined;
}

interface Counter {
  tenantId: string;
  /** By every process, as far as it is known here. */
  total: number;
  /** Not yet told to the others. */
  untold: number;
  /** How many times the limit it may reach: once, or more where many share it. */
  multiple: number;
}

type Counters = Map<string, Counter>;

/** The key of what all clients of a tenant do together. */
const TENANT = 'tenant';

export interface RateLimitsOptions {
  /** Requests a minute for one client from one address, and for one address without a proven client. */
  limits: Record<Limited, number>;
  database: Database;
  clock: Clock;
  logger: Logger;
  /** For metrics. */
  onLimited?: ((limit: Limited) => void) | undefined;
}

/**
 * Counts requests in windows of a minute, over all processes: each counts for itself and adds to a shared counter at most
 * 100 ms later. SQLite has one process, so nothing is shared there. Rejected: a write for every request, which costs more
 * than the token.
 *
 * A client that is not proven counts for its address alone. So nobody without credentials can spend what a client may do, or what the
 * clients of a tenant may do together.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions;
  #windowStart = 0;
  /** Apart, so that addresses without number leave room for clients. */
  #addresses: Counters = new Map();
  #clients: Counters = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RateLimitsOptions) {
    this.#options = options;
  }

  /** Counts a request of a client that is proven: for the client at this address, and for its tenant. */
  take(tenantId: string, what: Limited, client: string, ip: string | undefined): Verdict {
    this.#roll();
    const own = counterOf(this.#clients, tenantId, what, `client ${networkOf(ip)} ${client}`);
    const ofTenant = counterOf(this.#clients, tenantId, what, TENANT);
    this.#count(own, 1);
    this.#count(ofTenant, 1);
    return this.#verdict(what, own, own.total <= this.#most(what, own) && ofTenant.total <= this.#most(what, ofTenant));
  }

  /**
   * Counts a request for its address, until its client is proven. A client that it names must have something left to
   * spend, and so must the tenant, although nothing is counted for them yet. A client that shows its secret is admitted
   * although others at its address have spent what the address may do.
   */
  async admit(
    tenantId: string,
    what: Limited,
    ip: string | undefined,
    { claimed, shown }: Claim = {},
  ): Promise<Admission> {
    this.#roll();
    const network = networkOf(ip);
    for (const key of claimed === undefined ? [] : [`client ${network} ${claimed}`, TENANT]) {
      const known = this.#clients.get(`${tenantId} ${what} ${key}`);
      if (known && known.total >= this.#most(what, known)) return new Admission(this.#verdict(what, known, false));
    }
    const address = counterOf(this.#addresses, tenantId, what, `address ${network}`);
    this.#count(address, 1);
    const isAllowed =
      address.total <= this.#most(what, address) ||
      (shown !== undefined && (await this.#isProven(tenantId, what, network, shown)));
    return new Admission(this.#verdict(what, address, isAllowed), (client) => {
      this.#count(address, -1);
      return claimed === undefined ? undefined : this.take(tenantId, what, client, ip);
    });
  }

  /** Wrong secrets count for the client at this address: no more of them are compared than one client may ask. */
  async #isProven(tenantId: string, what: Limited, network: string, { clientId, isRight }: ShownSecret) {
    const key = `secret ${network} ${clientId}`;
    const wrong = this.#addresses.get(`${tenantId} ${what} ${key}`);
    if (wrong && wrong.total >= this.#most(what, wrong)) return false;
    const isProven = await isRight();
    if (isProven === false) this.#count(counterOf(this.#addresses, tenantId, what, key), 1);
    return isProven === true;
  }

  /** Tells the others what they have not heard. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#tell();
  }

  #roll(): void {
    const now = this.#options.clock();
    const start = now - (now % WINDOW_MS);
    if (start === this.#windowStart) return;
    this.#windowStart = start;
    this.#addresses = new Map();
    this.#clients = new Map();
  }

  #most(what: Limited, { multiple }: Counter): number {
    return this.#options.limits[what] * multiple;
  }

  #verdict(what: Limited, { total }: Counter, isAllowed: boolean): Verdict {
    if (!isAllowed) this.#options.onLimited?.(what);
    const limit = this.#options.limits[what];
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
    counter.untold += points;
    if (this.#options.database.kind === 'sqlite') return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tell();
    }, SHARE_MS);
  }

  async #tell(): Promise<void> {
    const { database, logger } = this.#options;
    const windowStart = this.#windowStart;
    const untold = [...this.#addresses, ...this.#clients].filter(([, { untold }]) => untold !== 0);
    if (database.kind === 'sqlite' || untold.length === 0) return;
    const rows = untold.map(([name, { tenantId, untold }]) => ({
      tenantId,
      key: hashOf(`${windowStart} ${name}`), // Whatever a stranger calls itself fits.
      points: untold,
      expiresAt: windowStart + 2 * WINDOW_MS,
    }));
    for (const [, counter] of untold) counter.untold = 0;
    try {
      const known = new Map((await addToCounters(database, rows)).map(({ key, points }) => [key, points]));
      for (const [index, [, counter]] of untold.entries()) {
        const total = known.get(rows[index]?.key as string);
        if (total !== undefined) counter.total = total + counter.untold;
      }
    } catch (err) {
      logger.warn({ err }, 'rate limits could not be shared; each process counts for itself');
    }
  }
}

/** The counter of this key, or, once there are too many, the one that all further keys of the tenant share. */
function counterOf(counters: Counters, tenantId: string, what: Limited, key: string): Counter {
  const name = `${tenantId} ${what} ${key}`;
  const known = counters.get(name);
  if (known) return known;
  const isFull = key !== TENANT && counters.size >= MAX_COUNTERS;
  const counter = { tenantId, total: 0, untold: 0, multiple: isFull || key === TENANT ? TENANT_MULTIPLE : 1 };
  const [kind] = key.split(' ', 1);
  const shared = isFull ? counters.get(`${tenantId} ${what} other ${kind}`) : undefined;
  if (shared) return shared;
  counters.set(isFull ? `${tenantId} ${what} other ${kind}` : name, counter);
  return counter;
}

/** Of every answer; a refusal says `Retry-After` too. */
export function rateLimitHeaders({ isAllowed, limit, remaining, resetSeconds }: Verdict): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    ...(!isAllowed && { 'Retry-After': String(resetSeconds) }),
  };
}
