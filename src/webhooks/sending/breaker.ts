import { MINUTE_MS } from '../../base/times.ts';

/** Consecutive failures that open a breaker. A timeout opens it at once, because it occupied a slot for seconds. */
const FAILURES_TO_OPEN = 5;
/** Initial concurrency of a webhook. It is low so that endpoints that never respond cannot occupy all slots. */
const FIRST_ROOM = 2;
/** Longest time a breaker stays open, so that an endpoint that recovered is soon tried again. */
const MAX_OPEN_MS = 5 * MINUTE_MS;

export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerSettings {
  /** Maximum number of concurrent attempts. */
  maxRoom: number;
  /** Seconds before each attempt. The entries after the first are also how long the breaker stays open. */
  schedule: number[];
}

/**
 * The circuit breaker of one webhook, in this process. It limits concurrent attempts (`room`): the limit halves each
 * time the breaker opens, down to a single probe, and doubles with each success, so that a recovering endpoint is not
 * flooded. While the breaker is open nothing is sent, and waiting deliveries use up no attempts.
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

  /** Returns how many attempts may be in flight now; 0 while the breaker is open. */
  room(now: number): number {
    return now < this.#openUntil ? 0 : this.#room;
  }

  /** Until when nothing is sent; undefined while attempts are made. */
  pausedUntil(now: number): number | undefined {
    return now < this.#openUntil ? this.#openUntil : undefined;
  }

  state(now: number): BreakerState {
    if (now < this.#openUntil) return 'open';
    return this.#trips > 0 ? 'probing' : 'closed';
  }

  /** True if the last attempt succeeded, or none was made. */
  get isHealthy(): boolean {
    return this.#failuresInARow === 0;
  }

  succeeded(): void {
    this.#failuresInARow = 0;
    this.#trips = 0;
    this.#openUntil = Number.NEGATIVE_INFINITY;
    this.#room = Math.min(this.#room * 2, this.#maxRoom);
  }

  /** Returns true if a pause starts with this failure. */
  failed({ startedAt, now, isTimeout }: { startedAt: number; now: number; isTimeout: boolean }): boolean {
    this.#failuresInARow += 1;
    if (startedAt < this.#openedAt) return false; // Started before the breaker opened, so it is no new evidence.
    if (!isTimeout && this.#trips === 0 && this.#failuresInARow < FAILURES_TO_OPEN) return false;
    this.#open(now);
    return now < this.#openUntil;
  }

  /** Ends the pause. If the next attempt fails, the breaker opens again. */
  probe(): void {
    this.#openUntil = Number.NEGATIVE_INFINITY;
  }

  #open(now: number): void {
    const seconds = this.#opening[Math.min(this.#trips, this.#opening.length - 1)] ?? 0;
    this.#trips += 1;
    this.#room = Math.max(1, Math.floor(this.#room / 2));
    this.#openedAt = now;
    this.#openUntil = now + Math.min(seconds * 1000, MAX_OPEN_MS);
  }
}
