import type { Reply } from '../../sandbox/protocol.ts';
import type { FetchBroker } from './fetch-broker.ts';
import type { SandboxLimits } from './limits.ts';
import { LoadedScripts } from './loaded-scripts.ts';
import { type Execution, Parking } from './parking.ts';
import { ComputingTime } from './process/computing.ts';
import { ResidentMemory } from './process/memory.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import { BYSTANDER, CRASHED, FETCH_OVERTIME, OUT_OF_TURN, OVERSIZE, OVERTIME } from './stops.ts';
import { Turn } from './turn.ts';
import type { Answer, Job, ScriptVersion, Stopped } from './types.ts';

/** What the end of a process means. */
export interface Death {
  /** The script that was executing, or the last that was. */
  cause: ScriptVersion | undefined;
  /** Jobs without an answer that are innocent: on their way to the runner, or their answers on the way back. */
  innocent: Job[];
}

type AnswerFrom = Answer extends infer A ? (A extends unknown ? Omit<A, 'wallMs'> : never) : never;

/** One runner as the pool sees it: what it has loaded, what it executes, and when that has to stop. */
export class Runner {
  /** It may be able to execute again. `job` is one it was given; undefined after a job that had been parked. */
  onFree: (job?: Job) => void = () => {};
  /** It was given this job behind others and did not come to begin it. */
  onBack: (job: Job) => void = () => {};
  onDeath: (death: Death) => void = () => {};

  readonly process: RunnerProcess;
  readonly #scripts: LoadedScripts;
  readonly #memory: ResidentMemory;
  readonly #computing: ComputingTime;
  readonly #limits: SandboxLimits;
  readonly #parking: Parking;
  #ids = 0;
  #turn: Turn | undefined;
  #lastScript: ScriptVersion | undefined;
  #isAlive = true;

  constructor(process: RunnerProcess, limits: SandboxLimits, broker: FetchBroker | undefined) {
    this.process = process;
    this.#limits = limits;
    this.#scripts = new LoadedScripts(limits.loadedScripts);
    this.#memory = new ResidentMemory(process.pid);
    this.#computing = new ComputingTime(process.pid);
    this.#parking = new Parking(broker);
    this.#parking.onArrival = () => this.#resume();
    process.onReply = (reply) => this.#answered(reply);
    process.onExit = () => this.#died();
  }

  get isFree(): boolean {
    return this.#isAlive && !this.#turn && this.#parking.size < this.#limits.parked;
  }

  get isBusy(): boolean {
    return this.#turn !== undefined || this.#parking.size > 0;
  }

  /** For metrics. */
  get status() {
    return { pid: this.process.pid, loadedScripts: this.#scripts.size, residentBytes: this.#memory.bytes };
  }

  /** Jobs that wait for an answer and count as executing: those that had been parked do not. */
  get jobs(): Job[] {
    return (this.#turn?.left ?? []).filter(({ wasParked }) => !wasParked).map(({ job }) => job);
  }

  /**
   * The tenant whose run has computed for this many milliseconds in the present turn. Undefined also for what an earlier run left
   * behind: the run that the runner has noted as begun is the one at work.
   */
  heldBy(now: number, ms: number): string | undefined {
    const turn = this.#turn;
    if (!turn) return undefined;
    const spentMs = this.#computing.spentMs ?? turn.age(now);
    if (spentMs < ms) return undefined;
    return turn.find(this.process.lastBegun())?.job.script.tenantId;
  }

  has(script: ScriptVersion): boolean {
    return this.#scripts.has(script);
  }

  isQuickWith(script: ScriptVersion): boolean {
    return this.#scripts.isQuick(script);
  }

  /** @param others runs of the same script, which is quick: they share a turn */
  execute(job: Job, ...others: Job[]): void {
    const sharesTurn = others.length > 0;
    const given = [job, ...others].map((job, place) => {
      const request = this.#scripts.requestOf(++this.#ids, job, place > 0);
      const script = request.kind === 'run' ? request.script : 0;
      const startedAt = performance.now();
      const execution = { id: request.id, script, job, sharesTurn, startedAt, fetches: 0, cpuMs: 0, wasParked: false };
      return { request, execution };
    });
    this.#begin(given.map(({ execution }) => execution));
    this.process.send(given.map(({ request }) => request));
  }

  /** Stops what has run too long or grown too large. Native built-ins ignore every limit inside the runner. */
  watch(now: number): void {
    for (const { id, script, cpuMs } of this.#parking.overdue(now)) {
      this.process.send([{ kind: 'forget', id, script }]);
      this.#settle(this.#parking.remove(id), { from: 'pool', cpuMs, ...FETCH_OVERTIME });
      this.onFree();
    }
    const turn = this.#turn;
    if (!turn) return;
    if (turn.isOver(now, this.#limits.graceMs)) {
      // One turn of the event loop later, so that an answer that waits unread because this process was busy is read first.
      setImmediate(() => this.#turn === turn && this.#kill(OVERTIME));
    } else if (this.#memory.growth > this.#limits.growthBytes) this.#kill(OVERSIZE);
  }

  /** Ends the process between two runs, and nobody is blamed. */
  retire(): Promise<void> {
    this.#close();
    return this.process.kill();
  }

  #close(): void {
    this.#isAlive = false;
    this.#memory.close();
    this.#computing.close();
  }

  #begin(executions: Execution[]): void {
    this.#turn = new Turn(executions, this.#limits.turnMs);
    this.#memory.mark();
    this.#computing.mark();
  }

  /** A run whose fetch was answered goes before those that have not begun. */
  #resume(): void {
    const arrival = this.#isAlive && !this.#turn ? this.#parking.take() : undefined;
    if (!arrival) return;
    const { execution, fetch, response } = arrival;
    const { id, script, job, startedAt } = execution;
    this.#begin([execution]);
    const timeoutMs = Math.max(1, Math.ceil(startedAt + job.timeoutMs - performance.now()));
    this.process.send([{ kind: 'resume', id, script, fetch, response, timeoutMs }]);
  }

  #answered(reply: Reply): void {
    if (reply.kind === 'ready') {
      this.#kill(OUT_OF_TURN);
      return;
    }
    const execution = this.#turn?.find(reply.id);
    if (!execution) {
      const parked = this.#parking.remove(reply.id); // The isolate it shared was stopped.
      if (!parked || reply.kind !== 'done') this.#kill(OUT_OF_TURN);
      else this.#settle(parked, { from: 'runner', reply });
    } else if (reply.kind === 'back') {
      if (this.#turn?.mayGiveBack(execution)) this.#leave(execution, this.onBack);
      else this.#kill(OUT_OF_TURN);
    } else if (reply.kind !== 'parked') {
      if (reply.kind === 'done') this.#scripts.took(execution.job.script, reply.wallMs);
      this.#end(execution, { from: 'runner', reply });
    } else if (this.#parking.park(execution, reply, this.#limits.fetches)) this.#free(execution);
    else this.#kill(OUT_OF_TURN);
  }

  #end(execution: Execution, answer: AnswerFrom): void {
    this.#free(execution);
    this.#settle(execution, answer);
  }

  #free(execution: Execution): void {
    this.#lastScript = execution.job.script;
    const isFirst = !execution.wasParked;
    execution.wasParked = true;
    this.#leave(execution, () => this.onFree(isFirst ? execution.job : undefined));
  }

  /** @param tell the pool, which may use this runner when nothing is left of the turn */
  #leave(execution: Execution, tell: (job: Job) => void): void {
    this.#turn?.remove(execution);
    if (this.#turn?.left.length === 0) {
      this.#turn = undefined;
      if (this.#isAlive && this.#parking.size === 0 && this.#isWorn(execution.job)) this.#died(CRASHED, true);
      this.#resume();
    }
    tell(execution.job);
  }

  #settle(execution: Execution | undefined, answer: AnswerFrom): void {
    if (!execution) return;
    execution.over?.abort();
    const elapsedMs = performance.now() - execution.startedAt;
    execution.job.settle({ ...answer, wallMs: elapsedMs, sharedTurn: execution.sharesTurn });
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
    this.#close();
    for (const parked of this.#parking.removeAll())
      this.#settle(parked, { from: 'pool', cpuMs: parked.cpuMs, ...BYSTANDER });

    const turn = this.#turn;
    this.#turn = undefined;
    const begun = turn?.find(this.process.lastBegun());
    const innocent: Job[] = [];
    for (const execution of turn?.left ?? []) {
      if (execution === begun) continue;
      if (execution.wasParked) this.#settle(execution, { from: 'pool', cpuMs: execution.cpuMs, ...BYSTANDER });
      else innocent.push(execution.job);
    }
    if (begun) {
      this.onDeath({ cause: begun.job.script, innocent });
      this.#end(begun, { from: 'pool', endedRunner: true, ...stopped });
      return;
    }
    // Between two runs: what the last one left behind. A runner that ends in order has only grown old.
    const cause = isRetired || this.process.obituary.code === 0 ? undefined : this.#lastScript;
    this.onDeath({ cause, innocent });
  }
}
