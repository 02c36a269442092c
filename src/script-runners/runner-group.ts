import { FairQueue, mayShare } from './fair-queue.ts';
import type { FetchBroker } from './fetch-broker.ts';
import type { SandboxLimits } from './limits.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import { type Death, Runner } from './runner.ts';
import { RunnerSupply } from './supply.ts';
import type { Job, SandboxLogger, ScriptVersion, Stopped } from './types.ts';

const CLOSED = 'The sandbox is closed.';

export interface LaneOptions {
  name: string;
  /** Runners that execute at the same time. */
  size: number;
  /** Runners kept ready beyond these, so that a death costs the next job nothing. */
  standby: number;
  spawn: () => Promise<RunnerProcess>;
  /** A runner died and this script is the cause. */
  onKill: (script: ScriptVersion) => void;
  /** A runner died, whatever the cause. */
  onEnd: () => void;
  /** A run of this tenant computes on and on while other tenants wait. Absent where a lane has but one tenant, or nothing better. */
  onSlow?: (runner: Runner, tenantId: string) => void;
  limits: SandboxLimits;
  broker: FetchBroker | undefined;
  logger: SandboxLogger;
}

/**
 * Runners with one queue. Of `size + standby` processes at most `size` execute; the first ones are preferred, so that the
 * last stays clean and takes the place of one that dies.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #queue: FairQueue;
  readonly #runners: Runner[] = [];
  readonly #supply: RunnerSupply;
  #executing = 0;
  #turns = 0;
  #dispatching: NodeJS.Immediate | undefined;
  #deaths = 0;
  #isOpen = false;
  #isClosed = false;
  /** `performance.now()` of the last job that ended. */
  lastUsedAt = performance.now();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.limits);
    this.#supply = new RunnerSupply(options);
    this.#supply.onReady = (process) => {
      const runner = new Runner(process, options.limits, options.broker);
      this.#runners.push(this.#attach(runner));
      this.#dispatch();
    };
  }

  /** Rejects when a runner does not start. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await Promise.all(Array.from({ length: this.#missing }, () => this.#supply.start()));
  }

  /** For a lane that need not be there at the start: returns at once, and keeps trying. */
  openLate(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (let missing = this.#missing; missing > 0; missing--) this.#supply.add();
  }

  submit(job: Job): void {
    if (this.#isClosed) {
      refuse(job, CLOSED);
    } else {
      const refused = this.#queue.add(job);
      if (refused) refuse(refused, 'Too many runs are waiting.');
      if (refused === job) return;
      this.openLate();
      if (this.#runners.some((runner) => this.#canShare(runner, job))) this.#dispatchTogether();
      else this.#dispatch();
    }
  }

  watch(now: number): void {
    for (const runner of [...this.#runners]) runner.watch(now);
    const { waitMs, slowMs } = this.#options.limits;
    for (const job of this.#queue.expired(now - waitMs)) refuse(job, 'The run waited too long for its turn.');
    for (const runner of [...this.#runners]) {
      const tenantId = runner.heldBy(now, slowMs);
      if (tenantId !== undefined && this.#queue.hasOthers(tenantId)) this.#options.onSlow?.(runner, tenantId);
    }
  }

  /** Takes out what a tenant has waiting. */
  takeWaiting(tenantId: string): Job[] {
    return this.#queue.takeAll(tenantId);
  }

  /** Gives a runner away, with what it executes. The standby takes its place, and another is started. */
  release(runner: Runner): Runner {
    this.#runners.splice(this.#runners.indexOf(runner), 1);
    for (const job of runner.jobs) this.#freed(job);
    queueMicrotask(() => this.#dispatch());
    this.#supply.add();
    return runner;
  }

  /** Takes over a runner with what it executes. It goes first, so that no other run begins before these have ended. */
  adopt(runner: Runner): void {
    for (const job of runner.jobs) {
      this.#executing++;
      this.#queue.began(job);
    }
    this.#runners.unshift(this.#attach(runner));
  }

  get runners(): number {
    return this.#runners.length;
  }

  get isBusy(): boolean {
    return this.#queue.length > 0 || this.#runners.some((runner) => runner.isBusy);
  }

  get status() {
    const { name, size } = this.#options;
    return {
      name,
      size,
      ready: this.#runners.length,
      executing: this.#executing,
      waiting: this.#queue.length,
      turns: this.#turns,
      deaths: this.#deaths,
      runners: this.#runners.map(({ status }) => status),
    };
  }

  /** Resolves when no process of this lane is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.expired(Number.POSITIVE_INFINITY)) refuse(job, CLOSED);
    await Promise.all([this.#supply.close(), ...this.#runners.map(({ process }) => process.kill())]);
  }

  /** With what else is submitted in this turn of the event loop. */
  #dispatchTogether(): void {
    this.#dispatching ??= setImmediate(() => {
      this.#dispatching = undefined;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const free = this.#runners.slice(0, this.#options.size).filter(({ isFree }) => isFree);
      const [first] = free;
      const job = first && this.#queue.next();
      if (!job) return;
      const runner = free.find((runner) => runner.has(job.script)) ?? first;
      const others = this.#canShare(runner, job) ? this.#queue.nextLike(job, this.#shareOf(free.length)) : [];
      this.#executing += 1 + others.length;
      this.#turns++;
      runner.execute(job, ...others);
    }
  }

  /** Runs that may wait for a fetch are answered one by one. */
  #canShare(runner: Runner, job: Job): boolean {
    return this.#options.broker === undefined && mayShare(job) && runner.isQuickWith(job.script);
  }

  /** Of the jobs that wait, beside one that goes: no runner is left without. */
  #shareOf(runners: number): number {
    return Math.min(this.#options.limits.turnRuns, Math.ceil((this.#queue.length + 1) / runners)) - 1;
  }

  get #missing(): number {
    return this.#options.size + this.#options.standby - this.#runners.length - this.#supply.starting;
  }

  #attach(runner: Runner): Runner {
    runner.onFree = (job) => {
      this.#supply.answered();
      if (job) this.#freed(job);
      else this.#dispatch();
      if (this.#missing < 0 && !runner.isBusy) this.#retire(runner);
    };
    runner.onBack = (job) => {
      this.#freed(job);
      if (this.#isClosed) refuse(job, CLOSED);
      else this.#queue.putBack(job);
    };
    runner.onDeath = (death) => this.#replace(runner, death);
    return runner;
  }

  /** A process that was taken over, once it has served and enough others exist. */
  #retire(runner: Runner): void {
    const place = this.#runners.indexOf(runner);
    if (place < 0) return; // It has died of this job.
    this.#runners.splice(place, 1);
    this.#supply.track(runner.retire());
  }

  #freed(job: Job): void {
    this.#executing--;
    this.#queue.finished(job);
    this.lastUsedAt = performance.now();
    queueMicrotask(() => this.#dispatch()); // After a job that was not begun has been put back.
  }

  #replace(runner: Runner, { cause, innocent }: Death): void {
    const { name, logger, onKill, onEnd } = this.#options;
    this.#runners.splice(this.#runners.indexOf(runner), 1);
    if (this.#isClosed) {
      for (const job of innocent) refuse(job, CLOSED);
      return;
    }
    this.#deaths++;
    onEnd();
    if (cause) onKill(cause);
    this.#supply.track(
      runner.process.kill().then(() => {
        logger.warn({ lane: name, tenantId: cause?.tenantId, ...runner.process.obituary }, 'a sandbox runner ended');
      }),
    );
    for (const job of innocent) this.#requeue(job);
    if (this.#missing > 0) this.#supply.replace();
  }

  /** A job that its runner had not begun, or had not answered, is run elsewhere; one that was executing never is. */
  #requeue(job: Job): void {
    this.#freed(job);
    if (++job.requeues > this.#options.limits.requeues) refuse(job, 'The runners of this run died.');
    else this.#queue.putBack(job);
  }
}

function refuse(job: Job, message: string): void {
  const stopped: Stopped = { result: 'overloaded', message };
  job.settle({ from: 'pool', wallMs: 0, ...stopped });
}
