import type { Reply } from '../../sandbox/protocol.ts';
import { ResidentMemory } from './runner-memory.ts';
import type { RunnerProcess } from './runner-process.ts';
import { LoadedScripts } from './runner-scripts.ts';
import type { FetchBroker } from './sandbox-fetch.ts';
import type { SandboxLimits } from './sandbox-limits.ts';
import { type Execution, Parking } from './sandbox-parking.ts';
import type { Answer, Job, ScriptVersion, Stopped } from './sandbox-types.ts';

/** What the end of a process means. */
export interface Death {
  /** The script that was executing, or the last that was. */
  cause: ScriptVersion | undefined;
  /** The job that was on its way to the runner and is innocent. */
  notBegun?: Job;
}

type AnswerFrom = Answer extends infer A ? (A extends unknown ? Omit<A, 'wallMs'> : never) : never;

const OVERTIME: Stopped = {
  result: 'killed',
  message: 'The script did not stop at its time limit: it was busy in a built-in function.',
};
const OVERSIZE: Stopped = { result: 'memory', message: 'The script took more memory than a runner may have.' };
const CRASHED: Stopped = { result: 'killed', message: 'The script ended its runner.' };
const OUT_OF_TURN: Stopped = { result: 'killed', message: 'The runner broke the protocol.' }; // It is not ours any more.
const BYSTANDER: Stopped = {
  result: 'killed',
  message: 'Another run ended the runner while this one waited for a fetch.',
};
const FETCH_OVERTIME: Stopped = {
  result: 'timeout',
  message: 'The time for the script is over: it was waiting for a fetch.',
};

/** One runner as the pool sees it: what it has loaded, what it executes, and when that has to stop. */
export class Runner {
  /** It can execute again. `job` is the one it was given; undefined after a job that had been parked. */
  onFree: (job?: Job) => void = () => {};
  onDeath: (death: Death) => void = () => {};

  readonly process: RunnerProcess;
  readonly #scripts: LoadedScripts;
  readonly #memory: ResidentMemory;
  readonly #limits: SandboxLimits;
  readonly #parking: Parking;
  #ids = 0;
  #execution: Execution | undefined;
  #lastScript: ScriptVersion | undefined;
  #isAlive = true;

  constructor(process: RunnerProcess, limits: SandboxLimits, broker: FetchBroker | undefined) {
    this.process = process;
    this.#limits = limits;
    this.#scripts = new LoadedScripts(limits.loadedScripts);
    this.#memory = new ResidentMemory(process.pid);
    this.#parking = new Parking(broker);
    this.#parking.onArrival = () => this.#resume();
    process.onReply = (reply) => this.#answered(reply);
    process.onExit = () => this.#died();
  }

  get isFree(): boolean {
    return this.#isAlive && !this.#execution && this.#parking.size < this.#limits.parked;
  }

  get isBusy(): boolean {
    return this.#execution !== undefined || this.#parking.size > 0;
  }

  /** For metrics. */
  get status() {
    return { pid: this.process.pid, loadedScripts: this.#scripts.size, residentBytes: this.#memory.bytes };
  }

  has(script: ScriptVersion): boolean {
    return this.#scripts.has(script);
  }

  execute(job: Job): void {
    const id = ++this.#ids;
    const { script, input, timeoutMs, memoryMb } = job;
    const loading = input === undefined ? undefined : this.#scripts.use(script);
    this.#begin({
      id,
      script: loading?.script ?? 0,
      job,
      startedAt: performance.now(),
      fetches: 0,
      cpuMs: 0,
      wasParked: false,
    });
    if (input === undefined || !loading)
      this.process.send({ kind: 'compile', id, source: script.source, timeoutMs, memoryMb });
    else this.process.send({ kind: 'run', id, ...loading, input, timeoutMs, memoryMb });
  }

  /** Stops what has run too long or grown too large. Native built-ins ignore every limit inside the runner. */
  watch(now: number): void {
    for (const { id, script, cpuMs } of this.#parking.overdue(now)) {
      this.process.send({ kind: 'forget', id, script });
      this.#settle(this.#parking.remove(id), { from: 'pool', cpuMs, ...FETCH_OVERTIME });
      this.onFree();
    }
    const execution = this.#execution;
    if (!execution) return;
    if (now > execution.startedAt + execution.job.timeoutMs + this.#limits.graceMs) {
      // One turn later, so that an answer that waits unread because this process was busy is read first.
      setImmediate(() => this.#execution === execution && this.#kill(OVERTIME));
    } else if (this.#memory.growth > this.#limits.growthBytes) this.#kill(OVERSIZE);
  }

  #begin(execution: Execution): void {
    this.#execution = execution;
    this.#memory.mark();
  }

  /** A run whose fetch was answered goes before those that have not begun. */
  #resume(): void {
    const arrival = this.#isAlive && !this.#execution ? this.#parking.take() : undefined;
    if (!arrival) return;
    const { execution, fetch, response } = arrival;
    const { id, script, job, startedAt } = execution;
    this.#begin(execution);
    const timeoutMs = Math.max(1, Math.ceil(startedAt + job.timeoutMs - performance.now()));
    this.process.send({ kind: 'resume', id, script, fetch, response, timeoutMs });
  }

  #answered(reply: Reply): void {
    const execution = this.#execution;
    if (reply.kind === 'ready') this.#kill(OUT_OF_TURN);
    else if (reply.id !== execution?.id) {
      const parked = this.#parking.remove(reply.id); // The isolate it shared was stopped.
      if (!parked || reply.kind !== 'done') this.#kill(OUT_OF_TURN);
      else this.#settle(parked, { from: 'runner', reply });
    } else if (reply.kind !== 'parked') this.#end(execution, { from: 'runner', reply });
    else if (this.#parking.park(execution, reply, this.#limits.fetches)) this.#free(execution);
    else this.#kill(OUT_OF_TURN);
  }

  #end(execution: Execution, answer: AnswerFrom): void {
    this.#free(execution);
    this.#settle(execution, answer);
  }

  #free(execution: Execution): void {
    this.#execution = undefined;
    this.#lastScript = execution.job.script;
    if (this.#isAlive && this.#parking.size === 0 && this.#isWorn(execution.job)) this.#died(CRASHED, true);
    const isFirst = !execution.wasParked;
    execution.wasParked = true;
    this.#resume();
    this.onFree(isFirst ? execution.job : undefined);
  }

  #settle(execution: Execution | undefined, answer: AnswerFrom): void {
    if (!execution) return;
    execution.over?.abort();
    execution.job.settle({ ...answer, wallMs: performance.now() - execution.startedAt });
  }

  /** Memory that earlier runs left behind is not the fault of the next one: the runner goes, nobody is blamed. */
  #isWorn({ memoryMb }: Job): boolean {
    const allowed = this.#limits.runnerBytes + this.#scripts.size * (memoryMb + 4) * 1024 * 1024;
    return this.#memory.isWatched && this.#memory.bytes > allowed;
  }

  /** The pool goes on at once; the kernel may need a while to take back the memory. */
  #kill(stopped: Stopped): void {
    void this.process.kill();
    this.#died(stopped);
  }

  #died(stopped: Stopped = CRASHED, isRetired = false): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#memory.close();
    for (const parked of this.#parking.removeAll())
      this.#settle(parked, { from: 'pool', cpuMs: parked.cpuMs, ...BYSTANDER });

    const execution = this.#execution;
    if (execution && this.process.lastBegun() === execution.id) {
      this.onDeath({ cause: execution.job.script });
      this.#end(execution, { from: 'pool', endedRunner: true, ...stopped });
      return;
    }
    // Between two runs: what the last one left behind. A runner that ends in order has only grown old.
    const cause = isRetired || this.process.obituary.code === 0 ? undefined : this.#lastScript;
    this.#execution = undefined;
    if (execution?.wasParked) this.#settle(execution, { from: 'pool', cpuMs: execution.cpuMs, ...BYSTANDER });
    this.onDeath({ cause, ...(execution && !execution.wasParked && { notBegun: execution.job }) });
  }
}
