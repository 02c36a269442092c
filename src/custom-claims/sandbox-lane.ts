import type { RunnerProcess } from './runner-process.ts';
import type { FetchBroker } from './sandbox-fetch.ts';
import type { SandboxLimits } from './sandbox-limits.ts';
import { FairQueue, mayShare } from './sandbox-queue.ts';
import { type Death, Runner } from './sandbox-runner.ts';
import type { Job, SandboxLogger, ScriptVersion, Stopped } from './sandbox-types.ts';

const CLOSED = 'The sandbox is closed.';

/** Runners in a row that may end without an answer before the lane pauses between spawns: an attack of crashes is met at full speed. */
const FREE_FAILURES = 8;

/** Milliseconds of that pause, which doubles. */
const PAUSE_MS = { first: 1, last: 5_000 };

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
  /** Processes that are starting, or were killed and are not gone yet. */
  readonly #pending = new Set<Promise<void>>();
  /** Runners that were spawned since the last one that answered something. */
  #failures = 0;
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
  }

  /** Rejects when a runner does not start. */
  async open(): Promise<void> {
    const { size, standby } = this.#options;
    this.#isOpen = true;
    const spawns = Array.from({ length: size + standby }, () => this.#spawn());
    for (const spawn of spawns) this.#track(spawn.catch(() => {})); // Told below; `close` waits for all of them.
    await Promise.all(spawns);
  }

  /** For a lane that need not be there at the start: returns at once, and keeps trying. */
  openLate(): void {
    if (this.#isOpen) return;
    const { size, standby } = this.#options;
    this.#isOpen = true;
    for (let i = 0; i < size + standby; i++) this.#respawn();
  }

  submit(job: Job): void {
    if (this.#isClosed) {
      refuse(job, CLOSED);
    } else if (!this.#queue.add(job)) {
      refuse(job, 'Too many runs are waiting.');
    } else {
      this.openLate();
      if (this.#runners.some((runner) => this.#canShare(runner, job))) this.#dispatchTogether();
      else this.#dispatch();
    }
  }

  watch(now: number): void {
    for (const runner of [...this.#runners]) runner.watch(now);
    const { waitMs } = this.#options.limits;
    for (const job of this.#queue.expired(now - waitMs)) refuse(job, 'The run waited too long for its turn.');
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
    await Promise.all([...this.#pending, ...this.#runners.map(({ process }) => process.kill())]);
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

  async #spawn(): Promise<void> {
    const process = await this.#options.spawn();
    if (this.#isClosed) return process.kill();
    const runner = new Runner(process, this.#options.limits, this.#options.broker);
    runner.onFree = (job) => {
      this.#failures = 0;
      if (job) this.#freed(job);
      else this.#dispatch();
    };
    runner.onBack = (job) => {
      this.#freed(job);
      if (this.#isClosed) refuse(job, CLOSED);
      else this.#queue.putBack(job);
    };
    runner.onDeath = (death) => this.#replace(runner, death);
    this.#runners.push(runner);
    this.#dispatch();
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
    this.#track(
      runner.process.kill().then(() => {
        logger.warn({ lane: name, tenantId: cause?.tenantId, ...runner.process.obituary }, 'a sandbox runner ended');
      }),
    );
    for (const job of innocent) this.#requeue(job);
    this.#respawn();
  }

  /** A job that its runner had not begun, or had not answered, is run elsewhere; one that was executing never is. */
  #requeue(job: Job): void {
    this.#freed(job);
    if (++job.requeues > this.#options.limits.requeues) refuse(job, 'The runners of this run died.');
    else this.#queue.putBack(job);
  }

  /** At once, unless runners keep dying without having answered anything: then the fault is not in the scripts. */
  #respawn(): void {
    const { name, logger } = this.#options;
    const pauseMs =
      this.#failures++ < FREE_FAILURES ? 0 : Math.min(PAUSE_MS.first * 2 ** this.#failures, PAUSE_MS.last);
    const spawn = () =>
      this.#track(
        this.#spawn().catch((err: unknown) => {
          logger.error({ err, lane: name }, 'a sandbox runner did not start');
          if (!this.#isClosed) this.#respawn();
        }),
      );
    if (pauseMs === 0) spawn();
    else setTimeout(() => !this.#isClosed && spawn(), pauseMs).unref();
  }

  #track(ending: Promise<void>): void {
    this.#pending.add(ending);
    void ending.finally(() => this.#pending.delete(ending));
  }
}

function refuse(job: Job, message: string): void {
  const stopped: Stopped = { result: 'overloaded', message };
  job.settle({ from: 'pool', wallMs: 0, ...stopped });
}
