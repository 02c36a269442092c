/** Failures in a row that open a breaker. A timeout opens it at once: it has held a place for seconds. */
const FAILURES_TO_OPEN = 5;
/** A hook nobody knows yet starts small, so that black holes cannot take all places before they are known. */
const FIRST_ROOM = 2;
/** An open breaker never stays so for longer: a receiver that came back is found again. */
const MAX_OPEN_MS = 5 * 60 * 1000;

export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerSettings {
  /** Attempts under way at once, at most. */
  maxRoom: number;
  /** Seconds before each attempt; its entries after the first are how long the breaker opens. */
  schedule: number[];
}

/**
 * How much one receiver is trusted with at a time, kept in this process. Room halves when the breaker
 * opens, down to a single probe, and doubles with each success, so recovery brings no herd. While it is
 * open nothing is sent to the hook, and nothing is charged to the deliveries that wait.
 */
export class Breaker {
  readonly #maxRoom: number;
  readonly #opening: number[];
  #room: number;
  #failuresInARow = 0;
  #trips = 0;
  #openedAt = Number.NEGATIVE_INFINITY;
  #openUntil = Number.NEGATIVE_INFINITY;

  constructor({ maxRoom, schedule }: BreakerSettings) {
    this.#maxRoom = maxRoom;
    this.#opening = schedule.slice(1);
    this.#room = Math.min(FIRST_ROOM, maxRoom);
  }

  /** Attempts that may be under way now. */
  room(now: number): number {
    return now < this.#openUntil ? 0 : this.#room;
  }

  state(now: number): BreakerState {
    if (now < this.#openUntil) return 'open';
    return this.#trips > 0 ? 'probing' : 'closed';
  }

  /** Nothing is known against this receiver. */
  get isClean(): boolean {
    return this.#failuresInARow === 0;
  }

  succeeded(): void {
    this.#failuresInARow = 0;
    this.#trips = 0;
    this.#openUntil = Number.NEGATIVE_INFINITY;
    this.#room = Math.min(this.#room * 2, this.#maxRoom);
  }

  failed({ startedAt, now, isTimeout }: { startedAt: number; now: number; isTimeout: boolean }): void {
    this.#failuresInARow += 1;
    if (startedAt < this.#openedAt) return; // It was under way when the breaker opened and says nothing new.
    if (isTimeout || this.#trips > 0 || this.#failuresInARow >= FAILURES_TO_OPEN) this.#open(now);
  }

  #open(now: number): void {
    const seconds = this.#opening[Math.min(this.#trips, this.#opening.length - 1)] ?? 0;
    this.#trips += 1;
    this.#room = Math.max(1, Math.floor(this.#room / 2));
    this.#openedAt = now;
    this.#openUntil = now + Math.min(seconds * 1000, MAX_OPEN_MS);
  }
}
