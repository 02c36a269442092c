import { FairQueue, mayShare } from './fair-queue.ts';
import type { RunnerGroupOptions } from './group-options.ts';
import type { Run } from './run.ts';
import type { RunnerEnd, RunnerOwner } from './runner/owner.ts';
import { Runner } from './runner/runner.ts';
import { newRunnerGroupState } from './states.ts';
import { RunnerSupply } from './supply.ts';

export const CLOSED = 'The sandbox is closed.';

/**
 * Runners that share one queue. The last of the `size + standby` runners stay unused and can replace one that ends. While all others are
 * held or missing, they execute runs of quick tenants.
 */
export class RunnerGroup {
  readonly #options: RunnerGroupOptions;
  readonly #queue: FairQueue;
  readonly #runners: Runner[] = [];
  readonly #supply: RunnerSupply;
  readonly #owner: RunnerOwner<Runner>;
  readonly #state = newRunnerGroupState();
  #executing = 0;
  #turns = 0;
  #dispatching: NodeJS.Immediate | undefined;
  #deaths = 0;
  /** `performance.now()` when the standby last helped. */
  #helpedAt = Number.NEGATIVE_INFINITY;
  /** `performance.now()` when a run last ended. */
  lastUsedAt = performance.now();

  constructor(options: RunnerGroupOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.limits);
    this.#supply = new RunnerSupply(options, (process) => {
      this.#runners.push(new Runner(process, this.#owner, options.limits, options.broker));
      this.#dispatch();
    });
    this.#owner = {
      freed: (runner, run) => this.#runnerFreed(runner, run),
      handedBack: (run) => this.#takeBack(run),
      ended: (runner, end) => this.#runnerEnded(runner, end),
      failed: (runner, err) =>
        options.logger.error({ err, runnerGroup: options.name, ...runner.process.exit }, 'A sandbox runner failed'),
    };
  }

  /** Rejects if a runner does not start. */
  async open(): Promise<void> {
    this.#state.enter('open');
    await Promise.all(Array.from({ length: this.#missing }, () => this.#supply.start()));
  }

  /** Opens a cold group. Returns at once and retries until its runners have started. */
  openLate(): void {
    if (!this.#state.is('cold')) return;
    this.#state.enter('open');
    for (let missing = this.#missing; missing > 0; missing--) this.#supply.add();
  }

  submit(run: Run): void {
    if (this.#state.is('closed')) {
      run.refuse(CLOSED);
      return;
    }
    const refused = this.#queue.add(run);
    refused?.refuse('Too many runs are waiting.');
    if (refused === run) return;
    this.openLate();
    if (this.#runners.some((runner) => this.#canShare(runner, run))) this.#dispatchTogether();
    else this.#dispatch();
  }

  watch(now: number): void {
    const { waitMs, slowMs } = this.#options.limits;
    for (const run of this.#queue.expired(now - waitMs)) run.refuse('The run waited too long for a runner.');
    for (const runner of [...this.#runners]) {
      runner.watch(now);
      const tenantId = runner.tenantComputing(now, slowMs);
      if (tenantId === undefined) continue;
      this.#queue.slowed(tenantId);
      if (this.#queue.hasOthers(tenantId) || this.#helpedAt > now - slowMs)
        this.#options.listener.runnerHeld?.(runner, tenantId);
    }
    this.#dispatch();
  }

  /** Removes and returns the waiting runs of a tenant. */
  takeWaiting(tenantId: string): Run[] {
    return this.#queue.takeAll(tenantId);
  }

  /** Gives a runner away together with its runs. The standby takes its place, and a new standby is started. */
  release(runner: Runner): Runner {
    this.#runners.splice(this.#runners.indexOf(runner), 1);
    for (const run of runner.runs) this.#freed(run);
    queueMicrotask(() => this.#dispatch());
    this.#supply.add();
    return runner;
  }

  /** Takes over a runner together with its runs. It becomes the first, so that no other run begins before these have ended. */
  adopt(runner: Runner): void {
    for (const run of runner.runs) {
      this.#executing++;
      this.#queue.began(run);
    }
    runner.owner = this.#owner;
    this.#runners.unshift(runner);
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

  /** Refuses waiting runs and ends all runners. Resolves once no process is left. */
  async close(): Promise<void> {
    this.#state.enter('closed');
    for (const run of this.#queue.expired(Number.POSITIVE_INFINITY)) run.refuse(CLOSED);
    await Promise.all([this.#supply.close(), ...this.#runners.map(({ process }) => process.kill())]);
  }

  /** Dispatches after this iteration of the event loop, so that runs submitted in it can share a turn. */
  #dispatchTogether(): void {
    this.#dispatching ??= setImmediate(() => {
      this.#dispatching = undefined;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const free = this.#forAll.filter(({ isFree }) => isFree);
      const [first = this.#helper] = free;
      const run = free.length > 0 ? this.#queue.next() : first && this.#queue.nextQuick();
      if (!first || !run) return;
      if (free.length === 0) this.#helpedAt = performance.now();
      const runner = free.find(({ scripts }) => scripts.has(run.script)) ?? first;
      const others = this.#canShare(runner, run) ? this.#queue.nextLike(run, this.#mostOthers(free.length || 1)) : [];
      this.#executing += 1 + others.length;
      this.#turns++;
      runner.execute(run, ...others);
    }
  }

  /** The runners for every tenant. Without the standby, even while a runner is starting, unless all tenants are new. */
  get #forAll(): Runner[] {
    const kept = this.#queue.hasQuickTenants ? this.#options.standby : 0;
    return this.#runners.slice(0, Math.min(this.#options.size, this.#runners.length - kept));
  }

  /** Returns a free standby if all other runners are held. */
  get #helper(): Runner | undefined {
    if (!this.#forAll.every((runner) => runner.isHeld(this.#options.limits.helpMs))) return undefined;
    return this.#runners.slice(this.#forAll.length).find(({ isFree }) => isFree);
  }

  /** False if scripts have `fetch`: their runs are answered one by one. */
  #canShare({ scripts }: Runner, run: Run): boolean {
    return this.#options.broker === undefined && mayShare(run) && scripts.isQuick(run.script);
  }

  /** Returns how many waiting runs may share a turn with the next one, so that each free runner gets some. */
  #mostOthers(freeRunners: number): number {
    return Math.min(this.#options.limits.turnRuns, Math.ceil((this.#queue.length + 1) / freeRunners)) - 1;
  }

  get #missing(): number {
    return this.#options.size + this.#options.standby - this.#runners.length - this.#supply.starting;
  }

  #runnerFreed(runner: Runner, run: Run | undefined): void {
    this.#supply.answered();
    if (run) this.#freed(run);
    else this.#dispatch();
    if (this.#missing < 0 && !runner.isBusy) this.#retire(runner);
  }

  #takeBack(run: Run): void {
    this.#freed(run);
    if (this.#state.is('closed')) run.refuse(CLOSED);
    else {
      run.enter('waiting');
      this.#queue.putBack(run);
    }
  }

  /** Ends a runner that was taken over, once it has no run left and enough others exist. */
  #retire(runner: Runner): void {
    const place = this.#runners.indexOf(runner);
    if (place < 0) return; // The run that was just answered ended it.
    this.#runners.splice(place, 1);
    this.#supply.track(runner.retire());
  }

  #freed(run: Run): void {
    this.#executing--;
    this.#queue.finished(run);
    this.lastUsedAt = performance.now();
    queueMicrotask(() => this.#dispatch()); // After a run that was handed back is in the queue again.
  }

  #runnerEnded(runner: Runner, { cause, innocent }: RunnerEnd): void {
    const { name: runnerGroup, logger, listener } = this.#options;
    this.#runners.splice(this.#runners.indexOf(runner), 1);
    if (this.#state.is('closed')) {
      for (const run of innocent) run.refuse(CLOSED);
      return;
    }
    this.#deaths++;
    if (cause) this.#queue.slowed(cause.tenantId);
    try {
      listener.runnerEnded();
      if (cause) listener.runnerKilled(cause);
    } finally {
      // Also if a listener throws, or callers would wait forever.
      this.#supply.track(
        runner.process.kill().then(() => {
          const facts = { runnerGroup, tenantId: cause?.tenantId, ...runner.process.exit };
          logger.warn(facts, 'A sandbox runner ended');
        }),
      );
      for (const run of innocent) this.#requeue(run);
      if (this.#missing > 0) this.#supply.replace();
    }
  }

  /** Queues a run again that its runner had not begun or had not answered. The run that was executing is never repeated. */
  #requeue(run: Run): void {
    this.#freed(run);
    if (run.requeues >= this.#options.limits.requeues) run.refuse('Every runner that was given this run ended.');
    else {
      run.requeue();
      this.#queue.putBack(run);
    }
  }
}
