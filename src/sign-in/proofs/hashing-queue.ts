import { ServiceError } from '../../errors.ts';

export interface HashingLimits {
  concurrency: number;
  /** The most that may wait for one tenant, for users and for Management API requests each. */
  maxWaiting: number;
}

/** The caller that waits for a hash, by which the order is made fair. */
export interface HashCaller {
  tenantId: string;
  /** True for a user at a page. False for a Management API request that imports or creates users. */
  isInteractive: boolean;
}

/**
 * Two of the four libuv threads that compute hashes. SQLite, DNS and file access use the same threads and must not wait
 * behind a burst of sign-ins.
 */
const LIMITS: HashingLimits = { concurrency: 2, maxWaiting: 100 };

/**
 * Users go first. After this many in a row one Management API request runs, so that sign-ins cannot block an import.
 */
const INTERACTIVE_PER_API_REQUEST = 4;

/** Waiting tenants in rotating order: each round serves every tenant once. */
class TenantRotation {
  readonly #queues = new Map<string, (() => void)[]>();

  get length(): number {
    return this.#queues.values().reduce((sum, queue) => sum + queue.length, 0);
  }

  lengthOf(tenantId: string): number {
    return this.#queues.get(tenantId)?.length ?? 0;
  }

  add(tenantId: string, start: () => void): void {
    this.#queues.getOrInsertComputed(tenantId, () => []).push(start);
  }

  next(): (() => void) | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [tenantId, queue] = first;
    this.#queues.delete(tenantId);
    const start = queue.shift();
    if (queue.length > 0) this.#queues.set(tenantId, queue); // The tenant waits for the next round.
    return start;
  }
}

/**
 * Computes a few password hashes at a time. Tenants take turns, so a burst at one tenant delays only that tenant. A
 * request that would wait more than about a second for its own tenant is refused instead.
 */
export class HashingQueue {
  readonly #limits: HashingLimits;
  readonly #interactive = new TenantRotation();
  readonly #api = new TenantRotation();
  #underWay = 0;
  #interactiveInARow = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#interactive.length + this.#api.length;
  }

  /** @throws 503 `request.unavailable` if too many requests of the tenant wait */
  async compute<T>(caller: HashCaller, work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= this.#limits.concurrency) await this.#wait(caller);
    else this.#underWay += 1;
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#underWay -= 1;
    }
  }

  #next(): (() => void) | undefined {
    const isApiTurn = this.#interactiveInARow >= INTERACTIVE_PER_API_REQUEST || this.#interactive.length === 0;
    const apiRequest = isApiTurn ? this.#api.next() : undefined;
    this.#interactiveInARow = apiRequest ? 0 : this.#interactiveInARow + 1;
    return apiRequest ?? this.#interactive.next();
  }

  #wait({ tenantId, isInteractive }: HashCaller): Promise<void> {
    const tenants = isInteractive ? this.#interactive : this.#api;
    if (tenants.lengthOf(tenantId) >= this.#limits.maxWaiting)
      throw new ServiceError('request.unavailable', { headers: { 'Retry-After': '1' } });
    return new Promise((resolve) => tenants.add(tenantId, resolve));
  }
}
