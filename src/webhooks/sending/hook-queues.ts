import type { ClaimedDelivery, HookKey, HookRoom } from '../deliveries/deliveries.ts';
import { Breaker, type BreakerSettings, type BreakerState } from './breaker.ts';

/** Webhooks per claim. SQLite's statement grows with each. */
const HOOKS_PER_CLAIM = 100;
/** Approximate limit of rows that are claimed ahead of being sent. */
const MAX_QUEUED = 512;
/** Rows to hold (in flight or queued) per allowed concurrent attempt. More are claimed below half of that. */
const HELD_PER_ROOM = 4;
/** An idle webhook is kept in memory this long, because its next event is likely. */
const REMEMBERED_MS = 60 * 1000;
/** An idle webhook that failed is kept this long. It may have been deleted. */
const FAILURE_REMEMBERED_MS = 60 * 60 * 1000;
/** With more webhooks than this in memory, querying which are due is cheaper than trying to claim for all. */
const MAX_LIKELY = 100;

/** The state of one webhook in this process: its breaker, its claimed rows and its attempts in flight. */
export interface Lane extends HookKey {
  breaker: Breaker;
  queue: ClaimedDelivery[];
  inFlight: number;
  usedAt: number;
  /** When a failure was last recorded on the webhook's row; undefined after a success. */
  failureRecordedAt: number | undefined;
}

const keyOf = ({ tenantId, hookId }: HookKey) => `${tenantId}/${hookId}`;

/** Returns how many rows to claim for a hook queue if `free` more may be queued overall; 0 while it is half full. */
function shortfall({ breaker, queue, inFlight }: Lane, free: number, now: number): number {
  const target = breaker.room(now) * (free > 0 ? HELD_PER_ROOM : 1);
  const held = inFlight + queue.length;
  return held > target / 2 ? 0 : target - held;
}

/** All webhooks with work in this process, served round-robin. */
export class Lanes {
  readonly #settings: BreakerSettings;
  readonly #lanes = new Map<string, Lane>();
  /** Webhooks that may have due rows in the database. */
  readonly #due = new Map<string, Lane>();
  /** Hook queues with claimed rows, in round-robin order. */
  readonly #ready = new Set<Lane>();
  /** Attempts in flight per tenant. */
  readonly #underWay = new Map<string, number>();
  #queued = 0;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
  }

  get queued(): number {
    return this.#queued;
  }

  /** Marks webhooks for which the database has due rows. */
  markDue(hooks: HookKey[]): void {
    for (const hook of hooks) this.#due.set(keyOf(hook), this.lane(hook));
  }

  /** Marks the tenant's recently active webhooks. Trying to claim for them saves a query for which ones are due. */
  markLikely(tenantId: string): void {
    if (this.#lanes.size > MAX_LIKELY) return;
    for (const [key, lane] of this.#lanes) if (lane.tenantId === tenantId) this.#due.set(key, lane);
  }

  /**
   * Returns what to claim next: enough ahead that sending does not wait for the database, with few statements. When the
   * total limit is reached, a webhook still gets what it may send at once, so that slow webhooks with long queues do
   * not delay others.
   */
  wanted(now: number): HookRoom[] {
    const rooms: HookRoom[] = [];
    let free = MAX_QUEUED - this.#queued;
    for (const lane of this.#due.values()) {
      if (rooms.length === HOOKS_PER_CLAIM) break;
      const room = shortfall(lane, free, now);
      if (room === 0) continue;
      rooms.push({ tenantId: lane.tenantId, hookId: lane.hookId, room });
      free -= room;
    }
    return rooms;
  }

  /** True if this hook queue has room and the database may have rows for it. */
  isHungry(lane: Lane, now: number): boolean {
    return this.#due.has(keyOf(lane)) && shortfall(lane, MAX_QUEUED - this.#queued, now) > 0;
  }

  /** Queues claimed rows. A webhook with fewer rows than requested has no more; the others move to the end. */
  accept(asked: HookRoom[], rows: ClaimedDelivery[]): void {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const key = keyOf(row);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const lane = this.lane(row);
      lane.queue.push(row);
      this.#ready.add(lane);
      this.#queued += 1;
    }
    for (const hook of asked) {
      const key = keyOf(hook);
      this.#due.delete(key);
      if (counts.get(key) === hook.room) this.#due.set(key, this.lane(hook));
    }
  }

  /**
   * Returns the next row whose webhook has room, or undefined. A tenant may have at most as many attempts in flight as
   * could still start (`free`). So one tenant gets at most half, and each further tenant still gets a share.
   */
  next(now: number, free: number): { lane: Lane; row: ClaimedDelivery } | undefined {
    for (const lane of this.#ready) {
      if ((this.#underWay.get(lane.tenantId) ?? 0) > free) continue; // Keeps its position.
      this.#ready.delete(lane); // Added again at the end below, or when one of its attempts ends.
      if (lane.inFlight >= lane.breaker.room(now)) continue;
      const row = lane.queue.shift();
      if (!row) continue;
      this.#queued -= 1;
      lane.usedAt = now;
      if (lane.queue.length > 0) this.#ready.add(lane);
      return { lane, row };
    }
    return undefined;
  }

  /** Counts an attempt that starts. */
  begin(lane: Lane): void {
    lane.inFlight += 1;
    this.#underWay.set(lane.tenantId, (this.#underWay.get(lane.tenantId) ?? 0) + 1);
  }

  /** Counts an attempt that ended. The hook queue may have room again. */
  end(lane: Lane): void {
    lane.inFlight -= 1;
    const left = (this.#underWay.get(lane.tenantId) ?? 0) - 1;
    if (left > 0) this.#underWay.set(lane.tenantId, left);
    else this.#underWay.delete(lane.tenantId);
    this.wake(lane);
  }

  /** Schedules a hook queue if it has rows. */
  wake(lane: Lane): void {
    if (lane.queue.length > 0) this.#ready.add(lane);
  }

  /** Schedules all hook queues that have rows, because an open breaker may have closed. */
  wakeAll(): void {
    for (const lane of this.#lanes.values()) this.wake(lane);
  }

  of(tenantId: string): Lane[] {
    return [...this.#lanes.values()].filter((lane) => lane.tenantId === tenantId);
  }

  /** Removes and returns the queued rows of these hook queues, or of all. */
  takeBack(lanes: Iterable<Lane> = this.#lanes.values()): ClaimedDelivery[] {
    const rows = [...lanes].flatMap((lane) => lane.queue.splice(0));
    this.#queued -= rows.length;
    return rows;
  }

  lane(hook: HookKey): Lane {
    const key = keyOf(hook);
    let lane = this.#lanes.get(key);
    if (!lane) {
      const { tenantId, hookId } = hook;
      const breaker = new Breaker(this.#settings);
      lane = { tenantId, hookId, breaker, queue: [], inFlight: 0, usedAt: 0, failureRecordedAt: undefined };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Forgets webhooks that have been idle for a while. */
  prune(now: number): void {
    for (const [key, lane] of this.#lanes) {
      const isIdle = lane.inFlight === 0 && lane.queue.length === 0 && !this.#due.has(key);
      const rememberedMs = lane.breaker.isClean ? REMEMBERED_MS : FAILURE_REMEMBERED_MS;
      if (isIdle && now - lane.usedAt > rememberedMs) this.#lanes.delete(key);
    }
  }

  breakerStates(now: number): Record<BreakerState, number> {
    const states: Record<BreakerState, number> = { closed: 0, open: 0, probing: 0 };
    for (const { breaker } of this.#lanes.values()) states[breaker.state(now)] += 1;
    return states;
  }
}
