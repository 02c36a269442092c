import type { RunOutcome, ScriptVersion } from './types.ts';

/** Milliseconds for which a misdeed counts. */
const MEMORY_MS = 10 * 60_000;

/** Milliseconds for which a tenant is held after a run of it was taken out of the way of others. */
const SLOW_MEMORY_MS = 10_000;

/** Misdeeds of a tenant within that time that send all its runs to the quarantine lane. */
const STRIKES = 2;

/** Kills by one script within that time after which it is refused until it is uploaded again. */
const KILLS = 10;

/** Milliseconds of CPU from which a run counts as a misdeed although it ended well: neighbours waited for it. */
const HEAVY_MS = 250;

/** Keys from which on those that only have old notes are looked for and forgotten. */
const SWEEP_AT = 1_000;

/**
 * Remembers whose runs had to be stopped. Placement follows the tenant, because a script is changed in a moment;
 * refusal follows the script, because it is the last resort and its author must be able to end it.
 */
export class Quarantine {
  /** A tenant is held from now on, or will be with its next misdeed. */
  onNote: (tenantId: string) => void = () => {};

  readonly #strikes = new Map<string, number[]>();
  readonly #kills = new Map<string, number[]>();
  readonly #slow = new Map<string, number[]>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** True if this tenant's runs go to the lane for tenants that were stopped before, or that held up others just now. */
  holds(tenantId: string): boolean {
    return (
      this.#recent(this.#strikes, tenantId).length >= STRIKES ||
      this.#recent(this.#slow, tenantId, SLOW_MEMORY_MS).length > 0
    );
  }

  /** Whether this script is not run any more. */
  refuses({ key }: ScriptVersion): boolean {
    return this.#recent(this.#kills, key).length >= KILLS;
  }

  /** A run that ended by its own, or by a limit inside the runner. */
  ended({ tenantId }: ScriptVersion, { result, wallMs, cpuMs }: RunOutcome): void {
    const heldTheCore = cpuMs >= HEAVY_MS || (result === 'timeout' && cpuMs > wallMs / 2); // Waiting for a fetch does not.
    if (heldTheCore || result === 'memory') this.#strike(tenantId);
  }

  /** A run that took its runner with it. */
  killed({ tenantId, key }: ScriptVersion): void {
    this.#note(this.#kills, key);
    this.#strike(tenantId);
  }

  /** A run that computes while others wait, and has not ended. No misdeed yet: it may still end well. */
  slowed(tenantId: string): void {
    this.#note(this.#slow, tenantId, SLOW_MEMORY_MS);
    this.onNote(tenantId);
  }

  /** Its author uploaded it again: refusal ends, placement stays. */
  forgive({ key }: ScriptVersion): void {
    this.#kills.delete(key);
  }

  get size(): { tenants: number; scripts: number } {
    const held = (notes: Map<string, number[]>, least: number) =>
      [...notes.keys()].filter((key) => this.#recent(notes, key).length >= least).length;
    return { tenants: held(this.#strikes, STRIKES), scripts: held(this.#kills, KILLS) };
  }

  #strike(tenantId: string): void {
    this.#note(this.#strikes, tenantId);
    this.onNote(tenantId);
  }

  #note(notes: Map<string, number[]>, key: string, memoryMs = MEMORY_MS): void {
    if (notes.size >= SWEEP_AT) for (const each of [...notes.keys()]) this.#recent(notes, each, memoryMs);
    const recent = this.#recent(notes, key, memoryMs);
    notes.set(key, [...recent, this.#clock()].slice(-KILLS));
  }

  #recent(notes: Map<string, number[]>, key: string, memoryMs = MEMORY_MS): number[] {
    const times = notes.get(key);
    if (!times) return [];
    const recent = times.filter((time) => time > this.#clock() - memoryMs);
    if (recent.length === 0) notes.delete(key);
    return recent;
  }
}
