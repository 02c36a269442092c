import { networkOf } from '../../base/address.ts';
import { Batch } from '../../base/batch.ts';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import { MINUTE_MS } from '../../base/times.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observe/logger.ts';
import { type Counter, Counters, TENANT } from './counters.ts';
import { type SharedLimit, secondsUntil, type Verdict } from './rate-limits.ts';
import { addPoints, type CounterRow } from './statements.ts';

const WINDOW_MS = MINUTE_MS;
const NOT_SHARED = 'Rate limits could not be shared between processes; each process counts on its own';

/** A request whose client is not authenticated yet. It counts for its address. */
export class Admission {
  readonly verdict: Verdict;
  /** Set by `prove`. */
  isProven = false;
  readonly #onProof: ((clientId: string) => Verdict | undefined) | undefined;

  constructor(verdict: Verdict, onProof?: (clientId: string) => Verdict | undefined) {
    this.verdict = verdict;
    this.#onProof = onProof;
  }

  /** Counts the request for this client instead of its address. @returns the verdict for the client, the first time */
  prove(clientId: string): Verdict | undefined {
    if (this.isProven) return undefined;
    this.isProven = true;
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

interface SharedLimitsOptions {
  /** Requests per minute for one client from one address, and for one address without an authenticated client. */
  limits: Record<SharedLimit, number>;
  database: Database;
  clock: Clock;
  logger: Logger;
  /** For metrics. */
  onLimited?: ((limit: SharedLimit) => void) | undefined;
}

/**
 * Counts requests in windows of one minute, over all processes. Each process counts on its own and adds to a shared
 * counter at most 100 ms later. On SQLite there is one process and nothing to share. Rejected: one write per request,
 * which costs more than the token.
 *
 * A request only counts for its address until the client is authenticated. So an anonymous caller cannot use up the
 * limit of a client or of a tenant.
 */
export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #unshared: Batch<Counter>;
  #windowStart = 0;
  /** Separate from clients, so that any number of addresses leaves room for them. */
  #addresses = new Counters(0);
  #clients = new Counters(0);

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
    this.#unshared = new Batch({
      write: (counters) => share(options.database, counters),
      maxWaitMs: 100,
      maxEntries: Infinity, // Otherwise a flood of new addresses grows faster than it is written.
      onFailure: 'drop',
      onError: (err) => options.logger.warn({ err }, NOT_SHARED),
    });
  }

  /** Counts a request of an authenticated client, for the client at this address and for its tenant. */
  take(tenantId: string, name: SharedLimit, client: string, ip: string | undefined): Verdict {
    this.#roll();
    const own = this.#clients.of(tenantId, name, `client ${networkOf(ip)} ${client}`);
    const ofTenant = this.#clients.of(tenantId, name, TENANT);
    this.#count(own, 1);
    this.#count(ofTenant, 1);
    const isAllowed = own.total <= this.#maxOf(name, own) && ofTenant.total <= this.#maxOf(name, ofTenant);
    return this.#verdict(name, own, isAllowed);
  }

  /**
   * Counts a request for its address until its client is authenticated. It is refused if the client that it names, or
   * the tenant, has reached its limit, although it does not count for them yet. A client that sends its correct secret
   * is admitted even if the address has reached its limit.
   */
  async admit(
    tenantId: string,
    name: SharedLimit,
    ip: string | undefined,
    { namedClientId, presentedSecret }: AdmissionOptions = {},
  ): Promise<Admission> {
    this.#roll();
    const network = networkOf(ip);
    for (const key of namedClientId === undefined ? [] : [`client ${network} ${namedClientId}`, TENANT]) {
      const known = this.#clients.find(tenantId, name, key);
      if (known && known.total >= this.#maxOf(name, known)) return new Admission(this.#verdict(name, known, false));
    }
    const address = this.#addresses.of(tenantId, name, `address ${network}`);
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
  async #isProven(tenantId: string, name: SharedLimit, network: string, { clientId, isCorrect }: PresentedSecret) {
    const key = `secret ${network} ${clientId}`;
    const wrong = this.#addresses.find(tenantId, name, key);
    if (wrong && wrong.total >= this.#maxOf(name, wrong)) return false;
    const isProven = await isCorrect();
    if (isProven === false) this.#count(this.#addresses.of(tenantId, name, key), 1);
    return isProven === true;
  }

  /** Shares the remaining counts with other processes. */
  close(): Promise<void> {
    return this.#unshared.close();
  }

  #roll(): void {
    const now = this.#options.clock();
    const start = now - (now % WINDOW_MS);
    if (start === this.#windowStart) return;
    this.#windowStart = start;
    this.#addresses = new Counters(start);
    this.#clients = new Counters(start);
  }

  #maxOf(name: SharedLimit, { multiple }: Counter): number {
    return this.#options.limits[name] * multiple;
  }

  #verdict(name: SharedLimit, { total }: Counter, isAllowed: boolean): Verdict {
    if (!isAllowed) this.#options.onLimited?.(name);
    const limit = this.#options.limits[name];
    return {
      isAllowed,
      limit,
      remaining: isAllowed ? Math.max(0, limit - total) : 0,
      resetSeconds: secondsUntil(this.#windowStart + WINDOW_MS, this.#options.clock()),
    };
  }

  #count(counter: Counter, points: 1 | -1): void {
    counter.total += points;
    counter.unshared += points;
    if (counter.isWaiting || this.#options.database.kind === 'sqlite') return;
    counter.isWaiting = true;
    this.#unshared.add(counter);
  }
}

/** Adds to the counters that all processes share, and learns what others have counted. */
async function share(database: Database, waiting: readonly Counter[]): Promise<void> {
  const counters = new Map<string, Counter>();
  const rows: CounterRow[] = [];
  for (const counter of waiting) {
    const { tenantId, name, windowStart, unshared: points } = counter;
    counter.isWaiting = false;
    counter.unshared = 0;
    if (points === 0) continue;
    const key = hashOf(`${windowStart} ${name}`); // A hash, because the client id in the name has any length.
    rows.push({ tenantId, key, points, expiresAt: windowStart + 2 * WINDOW_MS });
    counters.set(key, counter);
  }
  if (rows.length === 0) return;
  for (const { key, points } of await addPoints(database, rows)) {
    const counter = counters.get(key);
    if (counter) counter.total = points + counter.unshared;
  }
}
