import { ServiceError } from '../../errors.ts';

export interface HashingLimits {
  atOnce: number;
  /** Of one tenant, for people and for machines each. */
  waiting: number;
}

/** Whose password it is, for a fair order. */
export interface Turn {
  tenantId: string;
  /** Someone waits at a page for it. Otherwise a machine imports or creates users. */
  isPerson: boolean;
}

/** Half of the four threads that Node computes hashes on: SQLite, DNS and file access use the same, and must not wait behind a crowd that signs in. */
const LIMITS: HashingLimits = { atOnce: 2, waiting: 100 };

/** People come before machines, but after this many of them a waiting machine has its turn: sign-ins cannot stop an import. */
const PEOPLE_PER_MACHINE = 4;

/** Tenants that wait, in rotating order: every round serves each once. */
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
    if (lane.length > 0) this.#lanes.set(tenantId, lane); // At the end of the round.
    return start;
  }
}

/**
 * Password hashes, a few at a time. Tenants take turns, so a crowd at one of them waits behind itself alone; whoever
 * would wait more than about a second for their own tenant is refused instead.
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

  /** @throws 503 `request.unavailable` when too many of the tenant wait */
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
