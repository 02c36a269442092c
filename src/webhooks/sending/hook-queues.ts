import { HOUR_MS, MINUTE_MS } from '../../base/times.ts';
import type { ClaimedDelivery, HookRoom } from '../deliveries/claim.ts';
import type { HookKey } from '../deliveries/due.ts';
import { Breaker, type BreakerSettings, type BreakerState } from './breaker.ts';

/** Webhooks per claim. SQLite's statement grows with each. */
const HOOKS_PER_CLAIM = 100;
/** Approximate limit of rows that are claimed ahead of being sent. */
const MAX_QUEUED = 512;
/** Rows to hold (in flight or queued) per allowed concurrent attempt. More are claimed below half of that. */
const HELD_PER_ROOM = 4;
/** An idle webhook is kept in memory this long, because its next event is likely. */
const REMEMBERED_MS = MINUTE_MS;
/** An idle webhook that failed is kept this long. It may have been deleted. */
const FAILURE_REMEMBERED_MS = HOUR_MS;
/** With more webhooks than this in memory, querying which are due is cheaper than trying to claim for all. */
const MAX_LIKELY = 100;

/** The state of one webhook in this process: its breaker, its claimed rows and its attempts in flight. */
export interface HookQueue extends HookKey {
  breaker: Breaker;
  /** Claimed rows that are not in flight yet. */
  rows: ClaimedDelivery[];
  inFlight: number;
  usedAt: number;
  /** When a failure was last recorded on the webhook's row; undefined after a success. */
  failureRecordedAt: number | undefined;
}

const keyOf = ({ tenantId, hookId }: HookKey) => `${tenantId}/${hookId}`;

/** Returns how many rows to claim for a queue if `free` more fit overall; 0 while it is more than half full. */
function rowsToClaim({ breaker, rows, inFlight }: HookQueue, free: number, now: number): number {
  const target = breaker.room(now) * (free > 0 ? HELD_PER_ROOM : 1);
  const held = inFlight + rows.length;
  return held > target / 2 ? 0 : target - held;
}

/** All webhooks with work in this process, served round-robin. */
export class HookQueues {
  readonly #settings: BreakerSettings;
  readonly #queues = new Map<string, HookQueue>();
  /** Webhooks that may have due rows in the database. */
  readonly #due = new Map<string, HookQueue>();
  /** Hook queues with claimed rows, in round-robin order. */
  readonly #ready = new Set<HookQueue>();
  /** Attempts in flight per tenant. */
  readonly #inFlightByTenant = new Map<string, number>();
  #queued = 0;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
  }

  get queued(): number {
    return this.#queued;
  }

  /** Marks webhooks for which the database has due rows. */
  markDue(hooks: HookKey[]): void {
    for (const hook of hooks) this.#due.set(keyOf(hook), this.queueOf(hook));
  }

  /** Marks the tenant's recently active webhooks. Trying to claim for them saves a query for which ones are due. */
  markLikely(tenantId: string): void {
    if (this.#queues.size > MAX_LIKELY) return;
    for (const [key, queue] of this.#queues) if (queue.tenantId === tenantId) this.#due.set(key, queue);
  }

  /**
   * Returns what to claim next, enough for few statements and no wait for the database. At the total limit, a webhook
   * still gets what it may send at once, so that slow webhooks with long queues do not delay others.
   */
  toClaim(now: number): HookRoom[] {
    const rooms: HookRoom[] = [];
    let free = MAX_QUEUED - this.#queued;
    for (const queue of this.#due.values()) {
      if (rooms.length === HOOKS_PER_CLAIM) break;
      const room = rowsToClaim(queue, free, now);
      if (room === 0) continue;
      rooms.push({ tenantId: queue.tenantId, hookId: queue.hookId, room });
      free -= room;
    }
    return rooms;
  }

  /** True if this hook queue has room and the database may have rows for it. */
  needsRows(queue: HookQueue, now: number): boolean {
    return this.#due.has(keyOf(queue)) && rowsToClaim(queue, MAX_QUEUED - this.#queued, now) > 0;
  }

  /** Queues claimed rows. A webhook with fewer rows than requested has no more; the others move to the end. */
  accept(requested: HookRoom[], rows: ClaimedDelivery[]): void {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const key = keyOf(row);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const queue = this.queueOf(row);
      queue.rows.push(row);
      this.#ready.add(queue);
      this.#queued += 1;
    }
    for (const hook of requested) {
      const key = keyOf(hook);
      this.#due.delete(key);
      if (counts.get(key) === hook.room) this.#due.set(key, this.queueOf(hook));
    }
  }

  /**
   * Returns the next row whose webhook has room, or undefined. A tenant may have at most as many attempts in flight as
   * could still start (`free`). So one tenant gets at most half, and each further tenant still gets a share.
   */
  next(now: number, free: number): { queue: HookQueue; row: ClaimedDelivery } | undefined {
    for (const queue of this.#ready) {
      if ((this.#inFlightByTenant.get(queue.tenantId) ?? 0) > free) continue; // Keeps its position.
      this.#ready.delete(queue); // Added again at the end below, or when one of its attempts ends.
      if (queue.inFlight >= queue.breaker.room(now)) continue;
      const row = queue.rows.shift();
      if (!row) continue;
      this.#queued -= 1;
      queue.usedAt = now;
      if (queue.rows.length > 0) this.#ready.add(queue);
      return { queue, row };
    }
    return undefined;
  }

  /** Counts an attempt that starts. */
  attemptStarted(queue: HookQueue): void {
    queue.inFlight += 1;
    this.#inFlightByTenant.set(queue.tenantId, (this.#inFlightByTenant.get(queue.tenantId) ?? 0) + 1);
  }

  /** Counts an attempt that ended. The hook queue may have room again. */
  attemptEnded(queue: HookQueue): void {
    queue.inFlight -= 1;
    const left = (this.#inFlightByTenant.get(queue.tenantId) ?? 0) - 1;
    if (left > 0) this.#inFlightByTenant.set(queue.tenantId, left);
    else this.#inFlightByTenant.delete(queue.tenantId);
    this.schedule(queue);
  }

  /** Schedules a hook queue if it has rows. */
  schedule(queue: HookQueue): void {
    if (queue.rows.length > 0) this.#ready.add(queue);
  }

  /** Schedules all hook queues that have rows, because an open breaker may have closed. */
  scheduleAll(): void {
    for (const queue of this.#queues.values()) this.schedule(queue);
  }

  ofTenant(tenantId: string): HookQueue[] {
    return [...this.#queues.values()].filter((queue) => queue.tenantId === tenantId);
  }

  /** Removes and returns the queued rows of these hook queues, or of all. */
  releaseRows(queues: Iterable<HookQueue> = this.#queues.values()): ClaimedDelivery[] {
    const rows = [...queues].flatMap((queue) => queue.rows.splice(0));
    this.#queued -= rows.length;
    return rows;
  }

  queueOf(hook: HookKey): HookQueue {
    const key = keyOf(hook);
    let queue = this.#queues.get(key);
    if (!queue) {
      const { tenantId, hookId } = hook;
      const breaker = new Breaker(this.#settings);
      queue = { tenantId, hookId, breaker, rows: [], inFlight: 0, usedAt: 0, failureRecordedAt: undefined };
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** Forgets webhooks that have been idle for a while. */
  prune(now: number): void {
    for (const [key, queue] of this.#queues) {
      const isIdle = queue.inFlight === 0 && queue.rows.length === 0 && !this.#due.has(key);
      const rememberedMs = queue.breaker.isHealthy ? REMEMBERED_MS : FAILURE_REMEMBERED_MS;
      if (isIdle && now - queue.usedAt > rememberedMs) this.#queues.delete(key);
    }
  }

  breakerStates(now: number): Record<BreakerState, number> {
    const states: Record<BreakerState, number> = { closed: 0, open: 0, probing: 0 };
    for (const { breaker } of this.#queues.values()) states[breaker.state(now)] += 1;
    return states;
  }
}
