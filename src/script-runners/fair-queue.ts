import type { SandboxLimits } from './limits.ts';
import type { Job } from './types.ts';

/** True if the job may be part of a shared turn: not a compile check, and not one whose runner has died before. */
export const mayShare = ({ input, requeues }: Job): boolean => input !== undefined && requeues === 0;

const lengthOf = ({ input = '' }: Job): number => input.length;

/** Most tenants remembered as known. */
const MOST_KNOWN = 10_000;

/**
 * Runs that wait for a runner, in fair order. Tenants take turns regardless of how many runs each has waiting, and tenants with fewer
 * executing runs go first, so one tenant gets a second runner only while no other waits. Every second turn goes to a known tenant if
 * one waits, so a crowd of new tenants whose runs do not end delays the others by one turn at a time.
 */
export class FairQueue {
  /** Waiting runs by tenant, in the order of turns: a tenant that was served moves to the end. Tenants without a run are removed. */
  readonly #waiting = new Map<string, Job[]>();
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
  add(job: Job): Job | undefined {
    const { tenantId } = job.script;
    const own = this.#of(tenantId);
    if (own.length >= this.#limits.waitingPerTenant) return job;
    const longest = this.#length < this.#limits.waiting ? undefined : this.#longest();
    if (longest && longest.length <= own.length + 1) return job;
    own.push(job);
    this.#waiting.set(tenantId, own);
    if (longest) return longest.pop();
    this.#length++;
    return undefined;
  }

  /** Removes and returns all waiting runs of a tenant. */
  takeAll(tenantId: string): Job[] {
    this.#known.delete(tenantId);
    const jobs = this.#of(tenantId);
    this.#waiting.delete(tenantId);
    this.#length -= jobs.length;
    return jobs;
  }

  /** True if another tenant has a waiting run. */
  hasOthers(tenantId: string): boolean {
    return this.#waiting.size > (this.#waiting.has(tenantId) ? 1 : 0);
  }

  /** Counts a run as executing that was not returned by `next`. */
  began({ script: { tenantId } }: Job): void {
    this.#running.set(tenantId, this.#runningOf(tenantId) + 1);
  }

  /** Puts a run back at its original place among those of its tenant. */
  putBack(job: Job): void {
    const own = this.#of(job.script.tenantId);
    const later = own.findIndex(({ queuedAt }) => queuedAt > job.queuedAt);
    own.splice(later < 0 ? own.length : later, 0, job);
    this.#waiting.set(job.script.tenantId, own);
    this.#length++;
  }

  /** Removes and returns the next run. It counts as executing until `finished` is called. */
  next(): Job | undefined {
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
    const job = this.#take(chosen);
    this.began(job);
    return job;
  }

  /** Returns runs that differ from this one only in their input, if no other tenant waits. They count as executing too. */
  nextLike(first: Job, most: number): Job[] {
    const { script, timeoutMs, memoryMb } = first;
    const { tenantId, key } = script;
    const jobs: Job[] = [];
    if (this.#waiting.size > 1) return jobs;
    let room = this.#limits.turnLength - lengthOf(first);
    const fits = (job: Job) =>
      mayShare(job) &&
      job.script.key === key &&
      job.timeoutMs === timeoutMs &&
      job.memoryMb === memoryMb &&
      lengthOf(job) <= room;
    for (let [next] = this.#of(tenantId); jobs.length < most && next && fits(next); [next] = this.#of(tenantId)) {
      room -= lengthOf(next);
      jobs.push(this.#take(tenantId));
    }
    if (jobs.length > 0) this.#running.set(tenantId, this.#runningOf(tenantId) + jobs.length);
    return jobs;
  }

  finished({ script: { tenantId } }: Job): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(tenantId);
    const left = this.#runningOf(tenantId) - 1;
    if (left > 0) this.#running.set(tenantId, left);
    else this.#running.delete(tenantId);
  }

  /** Removes and returns the runs queued before this time of `performance.now()`. */
  expired(before: number): Job[] {
    const jobs: Job[] = [];
    for (const [tenantId, own] of this.#waiting) {
      while (own[0] && own[0].queuedAt < before) jobs.push(this.#take(tenantId));
    }
    return jobs;
  }

  #isPreferred(tenantId: string): boolean {
    return this.#known.has(tenantId) && tenantId !== this.#last;
  }

  #longest(): Job[] {
    return [...this.#waiting.values()].reduce((longest, jobs) => (jobs.length > longest.length ? jobs : longest), []);
  }

  #of(tenantId: string): Job[] {
    return this.#waiting.get(tenantId) ?? [];
  }

  #take(tenantId: string): Job {
    const own = this.#waiting.get(tenantId) as Job[];
    const job = own.shift() as Job;
    this.#length--;
    this.#waiting.delete(tenantId);
    if (own.length > 0) this.#waiting.set(tenantId, own);
    return job;
  }

  #runningOf(tenantId: string): number {
    return this.#running.get(tenantId) ?? 0;
  }
}
