/** Attempts that take longer wait for the receiver, not for this process. */
const QUICK_MS = 250;

/** Sockets that may wait for slow receivers, for each place. */
const SLOW_PER_PLACE = 8;

/**
 * The places of a process. An attempt gives its place back after a quarter of a second although it goes
 * on: it then costs a socket and nothing else, and receivers that hang do not stop the others.
 */
export class Slots {
  readonly #places: number;
  /** Tokens of attempts in a place, oldest first, with their start. */
  readonly #quick = new Map<symbol, number>();
  readonly #slow = new Set<symbol>();

  constructor(places: number) {
    this.#places = places;
  }

  get inUse(): number {
    return this.#quick.size + this.#slow.size;
  }

  /** Attempts that may still begin before all places and all sockets are taken. */
  get free(): number {
    return this.#places * (1 + SLOW_PER_PLACE) - this.inUse;
  }

  /** Undefined when all places are taken. */
  take(): symbol | undefined {
    this.#demote();
    if (this.#quick.size >= this.#places || this.#slow.size >= this.#places * SLOW_PER_PLACE) return undefined;
    const token = Symbol();
    this.#quick.set(token, performance.now());
    return token;
  }

  leave(token: symbol): void {
    if (!this.#quick.delete(token)) this.#slow.delete(token);
  }

  /** Milliseconds until the oldest attempt in a place gives it back. */
  get nextFreeMs(): number {
    const [oldest] = this.#quick.values();
    return oldest === undefined ? QUICK_MS : Math.max(1, oldest + QUICK_MS - performance.now());
  }

  #demote(): void {
    const limit = performance.now() - QUICK_MS;
    for (const [token, startedAt] of this.#quick) {
      if (startedAt > limit) return;
      this.#quick.delete(token);
      this.#slow.add(token);
    }
  }
}
