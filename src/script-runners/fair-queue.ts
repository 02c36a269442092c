import type { SandboxLimits } from './limits.ts';
import type { Run } from './run.ts';

/** True if the run may be part of a shared turn. Checks at upload may not, nor runs whose runner has ended before. */
export const mayShare = ({ input, requeues }: Run): boolean => input !== undefined && requeues === 0;

const lengthOf = ({ input = '' }: Run): number => input.length;

/** Maximum number of tenants remembered as known. */
const MOST_KNOWN = 10_000;

/**
 * Runs that wait for a runner, in fair order. Tenants take turns regardless of how many runs each has waiting, and tenants with fewer
 * executing runs go first, so one tenant gets a second runner only while no other tenant waits. Every second turn goes to a known tenant if
 * one waits, so a crowd of new tenants whose runs do not end delays the others by one turn at a time.
 */
export class FairQueue {
  /** Waiting runs by tenant, in the order of turns: a tenant that was served moves to the end. Tenants without a run are removed. */
  readonly #waiting = new Map<string, Run[]>();
  readonly #running = new Map<string, number>();
  /** Tenants that had a run that ended. Every tenant can become known, so this only limits crowds of new tenants. */
  readonly #known = new Set<string>();
  readonly #limits: SandboxLimits;
  #length = 0;
  #prefersKnown = false;
  /** The tenant of the last turn. It is not preferred for the next one even if it is known. */
  #last: string | undefined;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
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
    this.#known.delete(tenantId);
    const runs = this.#of(tenantId);
    this.#waiting.delete(tenantId);
    this.#length -= runs.length;
    return runs;
  }

  /** True if another tenant has a waiting run. */
  hasOthers(tenantId: string): boolean {
    return this.#waiting.size > (this.#waiting.has(tenantId) ? 1 : 0);
  }

  /** Counts a run as executing that was not returned by `next`. */
  began({ script: { tenantId } }: Run): void {
    this.#running.set(tenantId, this.#runningOf(tenantId) + 1);
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
    this.#prefersKnown = !this.#prefersKnown;
    let chosen: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const tenantId of this.#waiting.keys()) {
      const rank = 2 * this.#runningOf(tenantId) + (this.#prefersKnown && !this.#isPreferred(tenantId) ? 1 : 0);
      if (rank < least) [chosen, least] = [tenantId, rank];
      if (least === 0) break;
    }
    if (chosen === undefined) return undefined;
    this.#last = chosen;
    const run = this.#take(chosen);
    this.began(run);
    return run;
  }

  /** Returns runs that differ from this one only in their input, if no other tenant waits. They count as executing too. */
  nextLike(first: Run, most: number): Run[] {
    const { script, timeoutMs, memoryMb } = first;
    const { tenantId, key } = script;
    const runs: Run[] = [];
    if (this.#waiting.size > 1) return runs;
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
    if (runs.length > 0) this.#running.set(tenantId, this.#runningOf(tenantId) + runs.length);
    return runs;
  }

  finished({ script: { tenantId } }: Run): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(tenantId);
    const left = this.#runningOf(tenantId) - 1;
    if (left > 0) this.#running.set(tenantId, left);
    else this.#running.delete(tenantId);
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
    return this.#known.has(tenantId) && tenantId !== this.#last;
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

  #runningOf(tenantId: string): number {
    return this.#running.get(tenantId) ?? 0;
  }
}
