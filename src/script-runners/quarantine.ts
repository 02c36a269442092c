import { MINUTE_MS } from '../base/times.ts';
import { newScriptState, newTenantState, type ScriptState, type TenantState } from './states.ts';
import type { RunOutcome, ScriptVersion } from './types.ts';

/** Milliseconds for which a strike or a kill counts. */
const MEMORY_MS = 10 * MINUTE_MS;

/** Milliseconds for which a tenant stays in quarantine after one of its runs was moved there. */
const MOVED_MS = 10_000;

/** Recent strikes from which on a tenant is in quarantine. */
const STRIKES = 2;

/** Recent kills from which on a script is disabled. */
const KILLS = 10;

/** Milliseconds of CPU from which on a run is a strike even if it succeeds, because other tenants had to wait. */
const HEAVY_MS = 250;

/** Number of records from which on those that are clear are removed. */
const SWEEP_AT = 1_000;

/** Times of events. Only those of the last `memoryMs` count. */
class RecentTimes {
  readonly #memoryMs: number;
  #times: number[] = [];

  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs;
  }

  add(now: number): void {
    this.#times = [...this.#times, now].slice(-KILLS);
  }

  count(now: number): number {
    this.#times = this.#times.filter((time) => time > now - this.#memoryMs);
    return this.#times.length;
  }
}

class TenantRecord {
  readonly strikes = new RecentTimes(MEMORY_MS);
  readonly moves = new RecentTimes(MOVED_MS);
  readonly #state = newTenantState();

  stateAt(now: number): TenantState {
    const strikes = this.strikes.count(now);
    const isMoved = this.moves.count(now) > 0;
    const next = strikes >= STRIKES ? 'quarantined' : isMoved ? 'moved' : strikes > 0 ? 'warned' : 'clear';
    if (!this.#state.is(next)) this.#state.enter(next);
    return next;
  }
}

class ScriptRecord {
  readonly kills = new RecentTimes(MEMORY_MS);
  readonly #state = newScriptState();

  stateAt(now: number): ScriptState {
    const kills = this.kills.count(now);
    const next = kills >= KILLS ? 'disabled' : kills > 0 ? 'suspected' : 'clear';
    if (!this.#state.is(next)) this.#state.enter(next);
    return next;
  }
}

/**
 * Remembers whose runs had to be stopped. Quarantine applies to the tenant, because a script is changed in a moment. Disabling applies
 * to the script, because it is the last resort and its author must be able to undo it.
 */
export class Quarantine {
  readonly #tenants = new Map<string, TenantRecord>();
  readonly #scripts = new Map<string, ScriptRecord>();
  readonly #clock: () => number;
  readonly #onNoted: (tenantId: string) => void;

  /** @param onNoted called after each strike or move of a tenant */
  constructor(clock: () => number, onNoted: (tenantId: string) => void) {
    this.#clock = clock;
    this.#onNoted = onNoted;
  }

  /** True if the runs of this tenant go to the quarantine group. */
  holds(tenantId: string): boolean {
    const state = stateOf(this.#tenants, tenantId, this.#clock());
    return state === 'moved' || state === 'quarantined';
  }

  /** True if this script is disabled. */
  refuses({ key }: ScriptVersion): boolean {
    return stateOf(this.#scripts, key, this.#clock()) === 'disabled';
  }

  /** Counts a run that ended by itself or by a limit inside the runner. */
  ended({ tenantId }: ScriptVersion, { result, wallMs, cpuMs }: RunOutcome): void {
    const keptCpuBusy = cpuMs >= HEAVY_MS || (result === 'timeout' && cpuMs > wallMs / 2); // Waiting for a fetch does not.
    if (keptCpuBusy || result === 'memory') this.#noteTenant(tenantId, 'strikes');
  }

  /** Counts a run that ended its runner. */
  killed({ tenantId, key }: ScriptVersion): void {
    note(this.#scripts, key, ScriptRecord, 'kills', this.#clock());
    this.#noteTenant(tenantId, 'strikes');
  }

  /** Counts a run that was moved because it computes while others wait. */
  moved(tenantId: string): void {
    this.#noteTenant(tenantId, 'moves');
  }

  /** Enables a script again, because it was uploaded again. Its tenant's quarantine remains. */
  forgive({ key }: ScriptVersion): void {
    this.#scripts.delete(key);
  }

  get size(): { tenants: number; scripts: number } {
    const now = this.#clock();
    const count = <State>(records: Map<string, { stateAt(now: number): State }>, state: State) =>
      [...records.values()].filter((record) => record.stateAt(now) === state).length;
    return { tenants: count(this.#tenants, 'quarantined'), scripts: count(this.#scripts, 'disabled') };
  }

  #noteTenant(tenantId: string, kind: 'strikes' | 'moves'): void {
    note(this.#tenants, tenantId, TenantRecord, kind, this.#clock());
    this.#onNoted(tenantId);
  }
}

interface Stateful<State> {
  stateAt(now: number): State;
}

/** Returns the current state of a record, and removes the record if it is clear. */
function stateOf<State extends string>(records: Map<string, Stateful<State>>, key: string, now: number) {
  const state = records.get(key)?.stateAt(now);
  if (state === 'clear') records.delete(key);
  return state;
}

/** Adds this time to the record of a key, which is created if there is none. */
function note<Kind extends string, Rec extends Stateful<string> & Record<Kind, RecentTimes>>(
  records: Map<string, Rec>,
  key: string,
  Rec: new () => Rec,
  kind: Kind,
  now: number,
): void {
  if (records.size >= SWEEP_AT) for (const each of [...records.keys()]) stateOf(records, each, now);
  const record = records.getOrInsertComputed(key, () => new Rec());
  record.stateAt(now);
  record[kind].add(now);
  record.stateAt(now);
}
