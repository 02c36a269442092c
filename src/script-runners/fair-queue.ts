import type { SandboxLimits } from './limits.ts';
import type { Run } from './run.ts';

/** True if the run may be part of a shared turn. Checks at upload may not, nor runs whose runner has ended before. */
export const mayShare = ({ input, requeues }: Run): boolean => input !== undefined && requeues === 0;

const lengthOf = ({ input = '' }: Run): number => input.length;

/** Milliseconds of runner time that a tenant with few runs may be ahead of the others at most, so that it does not wait for all of them. */
const CREDIT_MS = 1_000;

/** Maximum number of tenants whose last runs are remembered. */
const MOST_REMEMBERED = 10_000;

/** Compares the first numbers that differ. */
function isLess(numbers: number[], others: number[]): boolean {
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at >= 0 && (numbers[at] as number) < (others[at] as number);
}

interface Executing {
  runs: number;
  /** `performance.now()` up to which the tenant's time is counted. */
  countedAt: number;
}

/**
 * Runs that wait for a runner, in fair order. Tenants with fewer executing runs go first, so one tenant gets a second runner only while no
 * other tenant waits. Then the tenant that has used the least runner time goes first, regardless of how many runs it has waiting: one whose
 * runs take a second gets one turn while others get a thousand of a millisecond. Among tenants that used equally little, as all new ones
 * have, the one with the fewest waiting runs goes first. Every second turn goes to a quick tenant if one waits, so a crowd of new tenants
 * whose runs do not end delays the others by one turn at a time.
 */
export class FairQueue {
  /** Waiting runs by tenant, in the order of turns: a tenant that was served moves to the end. Tenants without a run are removed. */
  readonly #waiting = new Map<string, Run[]>();
  readonly #executing = new Map<string, Executing>();
  /** Milliseconds of runner time by tenant, as far as they are within `CREDIT_MS` of `#mostUsed`. */
  readonly #used = new Map<string, number>();
  /** The most that the tenant of a turn had used before it. */
  #mostUsed = 0;
  /** Tenants whose last run ended and was not slow. Every tenant can be quick once, so this only limits crowds of new tenants. */
  readonly #quick = new Set<string>();
  /** Tenants whose executing runs include one that is slow. */
  readonly #slow = new Set<string>();
  readonly #limits: SandboxLimits;
  #length = 0;
  #prefersQuick = false;
  /** The tenant of the last turn. It is not preferred for the next one even if it is quick. */
  #last: string | undefined;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  get hasQuickTenants(): boolean {
    return this.#quick.size > 0;
  }

  /**
   * Adds a run and returns the one that has to be refused, if any: this one if its tenant has too many waiting. If the whole
   * queue is full, it is the last run of the tenant with the most, so that no tenant can block the others.
   */
  add(run: Run): Run | undefined {
    const { tenantId } = run.script;
    const own = this.#of(tenantId);
    if (own.length >= this.#limits.waitingPerTenant) return run;
    const longest = this.#length < this.#limits.waiting ? undefined : this.#longest();
    if (longest && longest.length <= own.length + 1) return run;
    own.push(run);
    this.#waiting.set(tenantId, own);
    if (longest) return longest.pop();
    this.#length++;
    return undefined;
  }

  /** Removes and returns all waiting runs of a tenant. */
  takeAll(tenantId: string): Run[] {
    this.#quick.delete(tenantId);
    const runs = this.#of(tenantId);
    this.#waiting.delete(tenantId);
    this.#length -= runs.length;
    return runs;
  }

  /** True if another tenant has a waiting run. */
  hasOthers(tenantId: string): boolean {
    return this.#waiting.size > (this.#waiting.has(tenantId) ? 1 : 0);
  }

  /** Notes that an executing run of the tenant is slow or ended its runner. The tenant is not quick until a later run ends well. */
  slowed(tenantId: string): void {
    this.#quick.delete(tenantId);
    this.#slow.add(tenantId);
  }

  /** Counts a run as executing that was not returned by `next`. */
  began({ script: { tenantId } }: Run): void {
    this.#count(tenantId, 1);
  }

  /** Puts a run back at its original place among those of its tenant. */
  putBack(run: Run): void {
    const own = this.#of(run.script.tenantId);
    const later = own.findIndex(({ queuedAt }) => queuedAt > run.queuedAt);
    own.splice(later < 0 ? own.length : later, 0, run);
    this.#waiting.set(run.script.tenantId, own);
    this.#length++;
  }

  /** Removes and returns the next run. It counts as executing until `finished` is called. */
  next(): Run | undefined {
    this.#prefersQuick = !this.#prefersQuick;
    return this.#choose([...this.#waiting.keys()], (id) => (this.#prefersQuick && !this.#isPreferred(id) ? 1 : 0));
  }

  /** Like `next`, but only of a quick tenant that has no executing run. */
  nextQuick(): Run | undefined {
    const candidates = [...this.#waiting.keys()].filter((id) => this.#quick.has(id) && !this.#executing.has(id));
    return this.#choose(candidates, () => 0);
  }

  /** Removes and returns runs that differ from this one only in their input. They count as executing too. */
  nextLike(first: Run, most: number): Run[] {
    const { script, timeoutMs, memoryMb } = first;
    const { tenantId, key } = script;
    const runs: Run[] = [];
    let room = this.#limits.turnLength - lengthOf(first);
    const fits = (run: Run) =>
      mayShare(run) &&
      run.script.key === key &&
      run.timeoutMs === timeoutMs &&
      run.memoryMb === memoryMb &&
      lengthOf(run) <= room;
    for (let [next] = this.#of(tenantId); runs.length < most && next && fits(next); [next] = this.#of(tenantId)) {
      room -= lengthOf(next);
      runs.push(this.#take(tenantId));
    }
    this.#count(tenantId, runs.length);
    return runs;
  }

  /** Counts a run as no longer executing. A run that is parked may still turn out to be slow. */
  finished(run: Run): void {
    const { tenantId } = run.script;
    if (!this.#slow.has(tenantId) && !run.is('parked')) {
      if (this.#quick.size >= MOST_REMEMBERED) this.#quick.clear();
      this.#quick.add(tenantId);
    }
    this.#count(tenantId, -1);
    if (!this.#executing.has(tenantId)) this.#slow.delete(tenantId);
    const isIdle = this.#executing.size === 0 && this.#length === 0;
    if (isIdle || this.#used.size >= MOST_REMEMBERED) this.#used.clear();
  }

  /** Removes and returns the runs queued before this time of `performance.now()`. */
  expired(before: number): Run[] {
    const runs: Run[] = [];
    for (const [tenantId, own] of this.#waiting) {
      while (own[0] && own[0].queuedAt < before) runs.push(this.#take(tenantId));
    }
    return runs;
  }

  #isPreferred(tenantId: string): boolean {
    return this.#quick.has(tenantId) && tenantId !== this.#last;
  }

  /** @param penalty 0 or 1, which orders tenants with equally many executing runs */
  #choose(tenants: string[], penalty: (tenantId: string) => number): Run | undefined {
    let chosen: string | undefined;
    let least = [Number.POSITIVE_INFINITY];
    for (const tenantId of tenants) {
      const executing = this.#executing.get(tenantId)?.runs ?? 0;
      const rank = [2 * executing + penalty(tenantId), this.#usedBy(tenantId), this.#of(tenantId).length];
      if (isLess(rank, least)) [chosen, least] = [tenantId, rank];
    }
    if (chosen === undefined) return undefined;
    this.#last = chosen;
    this.#mostUsed = Math.max(this.#mostUsed, this.#usedBy(chosen));
    const run = this.#take(chosen);
    this.began(run);
    return run;
  }

  #usedBy(tenantId: string): number {
    return Math.max(this.#used.get(tenantId) ?? Number.NEGATIVE_INFINITY, this.#mostUsed - CREDIT_MS);
  }

  /** Adds the time since the last change to what the tenant has used, then changes the number of its executing runs. */
  #count(tenantId: string, change: number): void {
    const now = performance.now();
    const { runs, countedAt } = this.#executing.get(tenantId) ?? { runs: 0, countedAt: now };
    this.#used.set(tenantId, this.#usedBy(tenantId) + now - countedAt);
    if (runs + change > 0) this.#executing.set(tenantId, { runs: runs + change, countedAt: now });
    else this.#executing.delete(tenantId);
  }

  #longest(): Run[] {
    return [...this.#waiting.values()].reduce((longest, runs) => (runs.length > longest.length ? runs : longest), []);
  }

  #of(tenantId: string): Run[] {
    return this.#waiting.get(tenantId) ?? [];
  }

  #take(tenantId: string): Run {
    const own = this.#waiting.get(tenantId) as Run[];
    const run = own.shift() as Run;
    this.#length--;
    this.#waiting.delete(tenantId);
    if (own.length > 0) this.#waiting.set(tenantId, own);
    return run;
  }
}
