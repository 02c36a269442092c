import { ServiceError } from '../../errors.ts';

export interface HashingLimits {
  atOnce: number;
  /** The most that may wait for one tenant, for users and for machine-to-machine requests each. */
  waiting: number;
}

/** The caller that waits for a hash, by which the order is made fair. */
export interface Turn {
  tenantId: string;
  /** True for a user at a page. False for a Management API request that imports or creates users. */
  isPerson: boolean;
}

/**
 * Two of the four libuv threads that compute hashes. SQLite, DNS and file access use the same threads and must not wait
 * behind a burst of sign-ins.
 */
const LIMITS: HashingLimits = { atOnce: 2, waiting: 100 };

/**
 * Users go first. After this many in a row one Management API request runs, so that sign-ins cannot block an import.
 */
const PEOPLE_PER_MACHINE = 4;

/** Waiting tenants in rotating order: each round serves every tenant once. */
class Rotation {
  readonly #lanes = new Map<string, (() => void)[]>();

  get length(): number {
    return this.#lanes.values().reduce((sum, lane) => sum + lane.length, 0);
  }

  lengthOf(tenantId: string): number {
    return this.#lanes.get(tenantId)?.length ?? 0;
  }

  add(tenantId: string, start: () => void): void {
    const lane = this.#lanes.get(tenantId);
    if (lane) lane.push(start);
    else this.#lanes.set(tenantId, [start]);
  }

  next(): (() => void) | undefined {
    const [first] = this.#lanes;
    if (!first) return undefined;
    const [tenantId, lane] = first;
    this.#lanes.delete(tenantId);
    const start = lane.shift();
    if (lane.length > 0) this.#lanes.set(tenantId, lane); // The tenant waits for the next round.
    return start;
  }
}

/**
 * Computes a few password hashes at a time. Tenants take turns, so a burst at one tenant delays only that tenant. A
 * request that would wait more than about a second for its own tenant is refused instead.
 */
export class HashingLine {
  readonly #limits: HashingLimits;
  readonly #people = new Rotation();
  readonly #machines = new Rotation();
  #underWay = 0;
  #peopleInARow = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#people.length + this.#machines.length;
  }

  /** @throws 503 `request.unavailable` if too many requests of the tenant wait */
  async compute<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= this.#limits.atOnce) await this.#wait(turn);
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
    const isMachinesTurn = this.#peopleInARow >= PEOPLE_PER_MACHINE || this.#people.length === 0;
    const machine = isMachinesTurn ? this.#machines.next() : undefined;
    this.#peopleInARow = machine ? 0 : this.#peopleInARow + 1;
    return machine ?? this.#people.next();
  }

  #wait({ tenantId, isPerson }: Turn): Promise<void> {
    const rotation = isPerson ? this.#people : this.#machines;
    if (rotation.lengthOf(tenantId) >= this.#limits.waiting)
      throw new ServiceError('request.unavailable', { headers: { 'Retry-After': '1' } });
    return new Promise((resolve) => rotation.add(tenantId, resolve));
  }
}
