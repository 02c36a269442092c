/** An attempt that takes longer is waiting for the endpoint, not for this process. */
const QUICK_MS = 250;

/** Slow attempts allowed per slot. */
const SLOW_PER_SLOT = 8;

/**
 * Limits the concurrent attempts of this process. After 250 ms an attempt gives up its slot and continues as a slow
 * one, which costs only a socket, so that endpoints that hang do not block the others.
 */
export class Slots {
  readonly #size: number;
  /** Tokens of the attempts that occupy a slot, oldest first, with their start. */
  readonly #quick = new Map<symbol, number>();
  readonly #slow = new Set<symbol>();

  constructor(size: number) {
    this.#size = size;
  }

  get inUse(): number {
    return this.#quick.size + this.#slow.size;
  }

  /** Attempts that may still start before all slots are occupied and the limit of slow attempts is reached. */
  get available(): number {
    return this.#size * (1 + SLOW_PER_SLOT) - this.inUse;
  }

  /** Occupies a slot. Returns undefined if none is free. */
  acquire(): symbol | undefined {
    this.#demote();
    if (this.#quick.size >= this.#size || this.#slow.size >= this.#size * SLOW_PER_SLOT) return undefined;
    const token = Symbol();
    this.#quick.set(token, performance.now());
    return token;
  }

  release(token: symbol): void {
    if (!this.#quick.delete(token)) this.#slow.delete(token);
  }

  /** Milliseconds until the oldest attempt gives up its slot. */
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
