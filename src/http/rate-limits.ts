import type { Clock } from '../clock.ts';
import type { Database } from '../database/connect.ts';
import { addToCounters } from '../database/counters.ts';
import { hashOf } from '../ids.ts';
import type { Logger } from '../observe/logger.ts';

const WINDOW_MS = 60_000;
/** How long a request may go uncounted in other processes. */
const SHARE_MS = 100;
/** What all clients of a tenant may do together, in multiples of what one may. */
const TENANT_MULTIPLE = 50;
/** Counters of one window. Beyond, a stranger with ever new names is counted with all others of the tenant. */
const MAX_COUNTERS = 100_000;

export type Limited = 'token' | 'subject-tokens';

export interface Verdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
}

interface Counter {
  tenantId: string;
  /** By every process, as far as it is known here. */
  total: number;
  /** Not yet told to the others. */
  untold: number;
}

export interface RateLimitsOptions {
  /** Requests a minute for one client from one address. */
  limits: Record<Limited, number>;
  database: Database;
  clock: Clock;
  logger: Logger;
  /** For metrics. */
  onLimited?: ((limit: Limited) => void) | undefined;
}

/**
 * Counts requests by client, address and tenant, in windows of a minute, over all processes: each
 * counts for itself and adds to a shared counter at most 100 ms later. SQLite has one process, so
 * nothing is shared there. The loser, a write for every request, costs more than the token.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions;
  #windowStart = 0;
  #counters = new Map<string, Counter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RateLimitsOptions) {
    this.#options = options;
  }

  take(tenantId: string, what: Limited, client: string, ip: string | undefined): Verdict {
    const limit = this.#options.limits[what];
    const now = this.#options.clock();
    this.#roll(now);
    const own = this.#count(tenantId, `${what} ${client} ${ip ?? ''}`, what);
    const ofTenant = this.#count(tenantId, what, what);
    this.#share();
    const isAllowed = own <= limit && ofTenant <= limit * TENANT_MULTIPLE;
    if (!isAllowed) this.#options.onLimited?.(what);
    return {
      isAllowed,
      limit,
      remaining: Math.max(0, limit - own),
      resetSeconds: Math.max(1, Math.ceil((this.#windowStart + WINDOW_MS - now) / 1000)),
    };
  }

  /** Tells the others what they have not heard. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#tell();
  }

  #roll(now: number): void {
    const start = now - (now % WINDOW_MS);
    if (start === this.#windowStart) return;
    this.#windowStart = start;
    this.#counters = new Map();
  }

  #count(tenantId: string, key: string, what: Limited): number {
    const name = this.#counters.size < MAX_COUNTERS ? `${tenantId} ${key}` : `${tenantId} ${what} others`;
    let counter = this.#counters.get(name);
    if (!counter) {
      counter = { tenantId, total: 0, untold: 0 };
      this.#counters.set(name, counter);
    }
    counter.total += 1;
    counter.untold += 1;
    return counter.total;
  }

  #share(): void {
    if (this.#options.database.kind === 'sqlite') return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tell();
    }, SHARE_MS);
  }

  async #tell(): Promise<void> {
    const { database, logger } = this.#options;
    const [windowStart, counters] = [this.#windowStart, this.#counters];
    const untold = [...counters].filter(([, { untold }]) => untold > 0);
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

/** Of every answer; a refusal says `Retry-After` too. */
export function rateLimitHeaders({ isAllowed, limit, remaining, resetSeconds }: Verdict): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    ...(!isAllowed && { 'Retry-After': String(resetSeconds) }),
  };
}
