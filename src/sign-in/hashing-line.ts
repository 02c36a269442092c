import { ServiceError } from '../errors.ts';

export interface HashingLimits {
  atOnce: number;
  waiting: number;
}

/** Half of the four threads that Node computes hashes on: SQLite, DNS and file access use the same, and must not wait behind a crowd that signs in. */
const LIMITS: HashingLimits = { atOnce: 2, waiting: 100 };

/** Password hashes, a few at a time and in order. Who would wait more than about a second is refused instead. */
export class HashingLine {
  readonly #limits: HashingLimits;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** @throws 503 `request.unavailable` when too many wait */
  async compute<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= this.#limits.atOnce) await this.#turn();
    else this.#underWay += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay -= 1;
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#limits.waiting)
      throw new ServiceError('request.unavailable', { headers: { 'Retry-After': '1' } });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
