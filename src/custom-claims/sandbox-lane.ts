import type { RunnerProcess } from './runner-process.ts';
import { REQUEUES, WAIT_MS } from './sandbox-limits.ts';
import { FairQueue } from './sandbox-queue.ts';
import { type Death, Runner } from './sandbox-runner.ts';
import type { Job, SandboxLogger, ScriptVersion, Stopped } from './sandbox-types.ts';

/** Milliseconds before another try when a runner did not start; doubles up to the last. */
const RESPAWN_MS = { first: 100, last: 5_000 };

export interface LaneOptions {
  name: string;
  /** Runners that execute at the same time. */
  size: number;
  /** Runners kept ready beyond these, so that a death costs the next job nothing. */
  standby: number;
  spawn: () => Promise<RunnerProcess>;
  /** A runner died and this script is the cause. */
  onKill: (script: ScriptVersion) => void;
  logger: SandboxLogger;
}

/**
 * Runners with one queue. Of `size + standby` processes at most `size` execute; the first ones are preferred, so that the
 * last stays clean and takes the place of one that dies.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #queue = new FairQueue();
  readonly #runners: Runner[] = [];
  /** Processes that were killed and are not gone yet. */
  readonly #dying = new Set<Promise<void>>();
  #executing = 0;
  #deaths = 0;
  #isOpen = false;
  #isClosed = false;
  /** `performance.now()` of the last job that ended. */
  lastUsedAt = performance.now();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Rejects when a runner does not start. A lane that is not opened opens with its first job. */
  open(): Promise<void[]> {
    const { size, standby } = this.#options;
    this.#isOpen = true;
    return Promise.all(Array.from({ length: size + standby }, () => this.#spawn()));
  }

  submit(job: Job): void {
    if (this.#isClosed) return refuse(job, 'The sandbox is closed.');
    if (!this.#queue.add(job)) return refuse(job, 'Too many runs are waiting.');
    if (!this.#isOpen) this.#openLate();
    this.#dispatch();
  }

  watch(now: number): void {
    for (const runner of this.#runners) runner.watch(now);
    for (const job of this.#queue.expired(now - WAIT_MS)) refuse(job, 'The run waited too long for its turn.');
  }

  get isBusy(): boolean {
    return this.#executing > 0 || this.#queue.length > 0;
  }

  get status() {
    const { name, size } = this.#options;
    return {
      name,
      size,
      ready: this.#runners.length,
      executing: this.#executing,
      waiting: this.#queue.length,
      deaths: this.#deaths,
      pids: this.#runners.map(({ process }) => process.pid),
    };
  }

  /** Resolves when no process of this lane is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.expired(Number.POSITIVE_INFINITY)) refuse(job, 'The sandbox is closed.');
    await Promise.all([...this.#dying, ...this.#runners.map(({ process }) => process.kill())]);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const free = this.#runners.slice(0, this.#options.size).filter(({ isFree }) => isFree);
      const [first] = free;
      const job = first && this.#queue.next();
      if (!job) return;
      this.#executing++;
      (free.find((runner) => runner.has(job.script)) ?? first).execute(job);
    }
  }

  #openLate(): void {
    const { size, standby } = this.#options;
    this.#isOpen = true;
    for (let i = 0; i < size + standby; i++) void this.#respawn();
  }

  async #spawn(): Promise<void> {
    const process = await this.#options.spawn();
    if (this.#isClosed) return process.kill();
    const runner = new Runner(process);
    runner.onFree = (job) => this.#freed(job);
    runner.onDeath = (death) => this.#replace(runner, death);
    this.#runners.push(runner);
    this.#dispatch();
  }

  #freed(job: Job): void {
    this.#executing--;
    this.#queue.finished(job);
    this.lastUsedAt = performance.now();
    queueMicrotask(() => this.#dispatch()); // After a job that died has been put back.
  }

  #replace(runner: Runner, { cause, notBegun }: Death): void {
    const { name, logger, onKill } = this.#options;
    this.#runners.splice(this.#runners.indexOf(runner), 1);
    if (this.#isClosed) return;
    this.#deaths++;
    if (cause) onKill(cause);
    const exited = runner.process.kill().then(() => {
      this.#dying.delete(exited);
      logger.warn({ lane: name, tenantId: cause?.tenantId, ...runner.process.obituary }, 'a sandbox runner died');
    });
    this.#dying.add(exited);
    if (notBegun) this.#requeue(notBegun);
    void this.#respawn();
  }

  /** A job that its runner had not begun is run elsewhere; one that was executing never is. */
  #requeue(job: Job): void {
    if (++job.requeues > REQUEUES) return refuse(job, 'The runners of this run died.');
    this.#queue.putBack(job);
  }

  async #respawn(delayMs = RESPAWN_MS.first): Promise<void> {
    try {
      await this.#spawn();
    } catch (err) {
      this.#options.logger.error({ err, lane: this.#options.name }, 'a sandbox runner did not start');
      setTimeout(() => void this.#respawn(Math.min(delayMs * 2, RESPAWN_MS.last)), delayMs).unref();
    }
  }
}

function refuse(job: Job, message: string): void {
  const stopped: Stopped = { result: 'overloaded', message };
  job.settle({ from: 'pool', wallMs: 0, ...stopped });
}
