import { HOUR_MS, MINUTE_MS } from '../../base/times.ts';
import type { ClaimedDelivery, HookRoom } from '../deliveries/claim.ts';
import type { HookKey } from '../deliveries/due.ts';
import { Breaker, type BreakerSettings, type BreakerState } from './breaker.ts';

/** Webhooks per claim. SQLite's statement grows with each. */
const HOOKS_PER_CLAIM = 100;
/** Approximate limit of rows that are claimed ahead of being sent. */
const MAX_QUEUED = 512;
/** Most rows to hold (in flight or queued) per allowed concurrent attempt. */
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
  /** Failures that are not on the webhook's row yet. */
  unrecordedFailures: number;
  /** When an administrator last asked to try again, as far as this process knows. */
  resumedAt: number;
}

const keyOf = ({ tenantId, hookId }: HookKey) => `${tenantId}/${hookId}`;

const heldBy = ({ inFlight, rows }: HookQueue): number => inFlight + rows.length;

/** All webhooks with work in this process, served round-robin. */
export class HookQueues {
  readonly #settings: BreakerSettings;
  readonly #queues = new Map<string, HookQueue>();
  /** Webhooks that may have due rows in the database. */
  readonly #due = new Set<HookQueue>();
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
    for (const hook of hooks) this.#due.add(this.queueOf(hook));
  }

  /** Marks the tenant's recently active webhooks. Trying to claim for them saves a query for which ones are due. */
  markLikely(tenantId: string): void {
    if (this.#queues.size > MAX_LIKELY) return;
    for (const queue of this.ofTenant(tenantId)) this.#due.add(queue);
  }

  /**
   * Returns what to claim next, as few and large claims as possible: nothing until a webhook needs rows, then also rows
   * for the others that soon will.
   */
  toClaim(now: number): HookRoom[] {
    const due = [...this.#due];
    if (!due.some((queue) => this.needsRows(queue, now))) return [];
    const rooms: HookRoom[] = [];
    let free = MAX_QUEUED - this.#queued;
    for (const queue of due) {
      if (rooms.length === HOOKS_PER_CLAIM) break;
      const target = this.#target(queue, free, now);
      const room = target - heldBy(queue);
      if (room < target / 4 || room === 0) continue;
      rooms.push({ tenantId: queue.tenantId, hookId: queue.hookId, room });
      free -= room;
    }
    return rooms;
  }

  /** True if this hook queue is at most half full, and the database may have rows for it. */
  needsRows(queue: HookQueue, now: number): boolean {
    if (!this.#due.has(queue)) return false;
    const target = this.#target(queue, MAX_QUEUED - this.#queued, now);
    return target > 0 && heldBy(queue) <= target / 2;
  }

  /**
   * Returns how many rows a webhook should hold if `free` more fit overall: an equal share, but enough to send without
   * waiting for the database. At the total limit it still gets what it may send at once, so that slow webhooks with long
   * queues do not delay others.
   */
  #target({ breaker }: HookQueue, free: number, now: number): number {
    const room = breaker.room(now);
    const share = free > 0 ? Math.floor(MAX_QUEUED / this.#due.size) : 0;
    return Math.max(room, Math.min(room * HELD_PER_ROOM, share));
  }

  /** Queues claimed rows. A webhook with fewer rows than requested has no more; the others move to the end. */
  accept(requested: HookRoom[], rows: ClaimedDelivery[]): void {
    const counts = new Map<HookQueue, number>();
    for (const row of rows) {
      const queue = this.queueOf(row);
      counts.set(queue, (counts.get(queue) ?? 0) + 1);
      queue.rows.push(row);
      queue.resumedAt = Math.max(queue.resumedAt, row.hook.resumedAt ?? 0);
      this.#ready.add(queue);
      this.#queued += 1;
    }
    for (const hook of requested) {
      const queue = this.queueOf(hook);
      this.#due.delete(queue);
      if (counts.get(queue) === hook.room) this.#due.add(queue);
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

  /** The webhooks of a tenant to which nothing is sent. */
  pausedOf(tenantId: string, now: number): HookQueue[] {
    return this.ofTenant(tenantId).filter(({ breaker }) => breaker.pausedUntil(now) !== undefined);
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
      const noFailures = { failureRecordedAt: undefined, unrecordedFailures: 0, resumedAt: 0 };
      queue = { tenantId, hookId, breaker, rows: [], inFlight: 0, usedAt: 0, ...noFailures };
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** Forgets webhooks that have been idle for a while. */
  prune(now: number): void {
    for (const [key, queue] of this.#queues) {
      const isIdle = queue.inFlight === 0 && queue.rows.length === 0 && !this.#due.has(queue);
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
