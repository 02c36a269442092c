import type { ClaimedDelivery, HookKey, HookRoom } from '../deliveries/statements.ts';
import { Breaker, type BreakerSettings, type BreakerState } from './breaker.ts';

/** Hooks in one claim; SQLite's statement grows with each. */
const HOOKS_PER_CLAIM = 100;
/** Rows that are claimed ahead of being sent, about. */
const MAX_QUEUED = 512;
/** Rows held for a hook, under way or queued, for each that may be under way. More are claimed below half of it. */
const HELD_PER_ROOM = 4;
/** An idle hook is remembered this long, because its next event is likely. */
const REMEMBERED_MS = 60 * 1000;
/** An idle hook that failed is remembered this long; it may have been deleted. */
const FAILURE_REMEMBERED_MS = 60 * 60 * 1000;
/** With more hooks than these in memory, asking the database which are due is cheaper than trying all. */
const MAX_LIKELY = 100;

/** One hook in this process: its breaker, what is claimed for it, what is under way. */
export interface Lane extends HookKey {
  breaker: Breaker;
  queue: ClaimedDelivery[];
  inFlight: number;
  usedAt: number;
  /** When a failure was last written to the hook's row, since its last success. */
  failureRecordedAt: number | undefined;
}

const keyOf = ({ tenantId, hookId }: HookKey) => `${tenantId}/${hookId}`;

/** How many rows to claim for a lane, where `free` more may be queued in all; none while it holds half of its share. */
function shortfall({ breaker, queue, inFlight }: Lane, free: number, now: number): number {
  const target = breaker.room(now) * (free > 0 ? HELD_PER_ROOM : 1);
  const held = inFlight + queue.length;
  return held > target / 2 ? 0 : target - held;
}

/** All hooks that have something to do here, in rotating order: every round serves each once. */
export class Lanes {
  readonly #settings: BreakerSettings;
  readonly #lanes = new Map<string, Lane>();
  /** Hooks that may have due rows in the database. */
  readonly #due = new Map<string, Lane>();
  /** Lanes with claimed rows, in the order of their turns. */
  readonly #ready = new Set<Lane>();
  /** Attempts under way of each tenant. */
  readonly #underWay = new Map<string, number>();
  #queued = 0;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
  }

  get queued(): number {
    return this.#queued;
  }

  /** The database has due rows for these hooks. */
  markDue(hooks: HookKey[]): void {
    for (const hook of hooks) this.#due.set(keyOf(hook), this.lane(hook));
  }

  /** Hooks of this tenant that were busy lately may have due rows: trying them saves asking first which have. */
  markLikely(tenantId: string): void {
    if (this.#lanes.size > MAX_LIKELY) return;
    for (const [key, lane] of this.#lanes) if (lane.tenantId === tenantId) this.#due.set(key, lane);
  }

  /**
   * What to claim next: enough ahead that no receiver waits for the database, and in few statements. When much is
   * queued already, a hook still gets what it may send at once, so slow hooks with long queues keep nobody waiting.
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

  /** Whether there may be rows to claim for this lane, which has room for them. */
  isHungry(lane: Lane, now: number): boolean {
    return this.#due.has(keyOf(lane)) && shortfall(lane, MAX_QUEUED - this.#queued, now) > 0;
  }

  /** Queues what a claim brought. A hook that gave less than was asked for has no more; the others go to the end. */
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
   * The next row whose hook has room, or undefined. A tenant may have as many attempts under way as could still begin
   * (`free`): one tenant gets half of them, and however many tenants hang, a share is left for the next one.
   */
  next(now: number, free: number): { lane: Lane; row: ClaimedDelivery } | undefined {
    for (const lane of this.#ready) {
      if ((this.#underWay.get(lane.tenantId) ?? 0) > free) continue; // It keeps its turn.
      this.#ready.delete(lane); // Back at the end, or in again when an attempt of it ends.
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

  /** An attempt of this lane begins. */
  begin(lane: Lane): void {
    lane.inFlight += 1;
    this.#underWay.set(lane.tenantId, (this.#underWay.get(lane.tenantId) ?? 0) + 1);
  }

  /** An attempt of this lane ended, so it may have room again. */
  end(lane: Lane): void {
    lane.inFlight -= 1;
    const left = (this.#underWay.get(lane.tenantId) ?? 0) - 1;
    if (left > 0) this.#underWay.set(lane.tenantId, left);
    else this.#underWay.delete(lane.tenantId);
    this.wake(lane);
  }

  /** The lane gets its turn if it has queued rows. */
  wake(lane: Lane): void {
    if (lane.queue.length > 0) this.#ready.add(lane);
  }

  /** Every lane with queued rows gets its turn again: a breaker that was open when they came may be so no more. */
  wakeAll(): void {
    for (const lane of this.#lanes.values()) this.wake(lane);
  }

  of(tenantId: string): Lane[] {
    return [...this.#lanes.values()].filter((lane) => lane.tenantId === tenantId);
  }

  /** Takes out what is queued: of a lane whose breaker opened, or of all. */
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

  /** Forgets hooks that have been idle for long. */
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
