import type { SandboxLimits } from './limits.ts';
import type { Job } from './types.ts';

/** Whether a job may share a turn: a run, whose runner has not died of another. */
export const mayShare = ({ input, requeues }: Job): boolean => input !== undefined && requeues === 0;

const lengthOf = ({ input = '' }: Job): number => input.length;

/** Tenants that are remembered as known. */
const MOST_KNOWN = 10_000;

/**
 * Jobs that wait for a runner. Tenants take turns, whatever each has waiting, and a tenant that is running yields to one that
 * is not: of K runners, one tenant holds more than one only while nobody else waits. Every second turn goes to a tenant that is
 * known, if one waits: so a crowd of new tenants whose runs do not end holds up the others for one turn at a time.
 */
export class FairQueue {
  /** In the order of turns: who was served goes to the back. No tenant is listed without a job. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Map<string, number>();
  /** Tenants whose runs end. Any tenant can become one, so this only keeps a crowd of new tenants from filling the turns. */
  readonly #known = new Set<string>();
  readonly #limits: SandboxLimits;
  #length = 0;
  #prefersKnown = false;
  /** The tenant that had the last turn: to be known does not give it the next one too. */
  #last: string | undefined;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * The job for which there is no place then: this one when its tenant has too much waiting, and when all places are taken
   * the last one of the tenant that has the most, so that nobody can keep the others out.
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

  /** Takes out all that a tenant has waiting. */
  takeAll(tenantId: string): Job[] {
    this.#known.delete(tenantId);
    const jobs = this.#of(tenantId);
    this.#waiting.delete(tenantId);
    this.#length -= jobs.length;
    return jobs;
  }

  /** Does another tenant than this one wait? */
  hasOthers(tenantId: string): boolean {
    return this.#waiting.size > (this.#waiting.has(tenantId) ? 1 : 0);
  }

  /** Counts a job as running that `next` has not given. */
  began({ script: { tenantId } }: Job): void {
    this.#running.set(tenantId, this.#runningOf(tenantId) + 1);
  }

  /** Back to its place among those of its tenant: it has waited already. */
  putBack(job: Job): void {
    const own = this.#of(job.script.tenantId);
    const later = own.findIndex(({ queuedAt }) => queuedAt > job.queuedAt);
    own.splice(later < 0 ? own.length : later, 0, job);
    this.#waiting.set(job.script.tenantId, own);
    this.#length++;
  }

  /** The next job, counted as running until `finished` is told. */
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

  /** More runs that differ from this one in their input alone, while no other tenant waits; counted as by `next`. */
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

  /** Takes out what was queued before this time, in milliseconds of `performance.now`. */
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
