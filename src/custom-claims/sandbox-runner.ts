import type { Reply } from '../../sandbox/protocol.ts';
import { ResidentMemory } from './runner-memory.ts';
import type { RunnerProcess } from './runner-process.ts';
import type { SandboxLimits } from './sandbox-limits.ts';
import type { Answer, Job, ScriptVersion, Stopped } from './sandbox-types.ts';

/** What the end of a process means. */
export interface Death {
  /** The script that was executing, or the last that was. */
  cause: ScriptVersion | undefined;
  /** The job that was on its way to the runner and is innocent. */
  notBegun?: Job;
}

type AnswerFrom = Answer extends infer A ? (A extends unknown ? Omit<A, 'wallMs'> : never) : never;

const OVERTIME = 'The script did not stop at its time limit: it was busy in a built-in function.';
const OVERSIZE = 'The script took more memory than a runner may have.';

interface Execution {
  id: number;
  job: Job;
  startedAt: number;
}

/** One runner as the pool sees it: what it has loaded, what it executes, and when that has to stop. */
export class Runner {
  onEnd: (job: Job) => void = () => {};
  onDeath: (death: Death) => void = () => {};

  readonly process: RunnerProcess;
  /** Names in this runner by script key, the least recently used first. */
  readonly #loaded = new Map<string, number>();
  readonly #memory: ResidentMemory;
  readonly #limits: SandboxLimits;
  #names = 0;
  #ids = 0;
  #execution: Execution | undefined;
  #lastScript: ScriptVersion | undefined;
  #isAlive = true;

  constructor(process: RunnerProcess, limits: SandboxLimits) {
    this.process = process;
    this.#limits = limits;
    this.#memory = new ResidentMemory(process.pid);
    process.onReply = (reply) => this.#answered(reply);
    process.onExit = () => this.#died();
  }

  get isFree(): boolean {
    return this.#execution === undefined && this.#isAlive;
  }

  /** For metrics. */
  get status() {
    return { pid: this.process.pid, loadedScripts: this.#loaded.size, residentBytes: this.#memory.bytes };
  }

  has({ key }: ScriptVersion): boolean {
    return this.#loaded.has(key);
  }

  execute(job: Job): void {
    const id = ++this.#ids;
    const { script, input, timeoutMs, memoryMb } = job;
    this.#execution = { id, job, startedAt: performance.now() };
    this.#memory.mark();
    if (input === undefined) {
      this.process.send({ kind: 'compile', id, source: script.source, timeoutMs, memoryMb });
      return;
    }
    this.process.send({ kind: 'run', id, ...this.#load(script), input, timeoutMs, memoryMb });
  }

  /** Stops what has run too long or grown too large. Native built-ins ignore every limit inside the runner. */
  watch(now: number): void {
    const execution = this.#execution;
    if (!execution) return;
    const { job, startedAt } = execution;
    const { graceMs, growthBytes } = this.#limits;
    if (now > startedAt + job.timeoutMs + graceMs) {
      // One turn later, so that an answer that waits unread because this process was busy is read first.
      setImmediate(() => {
        if (this.#execution === execution) this.#kill({ result: 'killed', message: OVERTIME });
      });
    } else if (this.#memory.growth > growthBytes) {
      this.#kill({ result: 'memory', message: OVERSIZE });
    }
  }

  /** The name of the script in this runner, and its source when the runner does not have it yet. */
  #load({ key, source }: ScriptVersion): { script: number; source?: string; unload?: number[] } {
    const known = this.#loaded.get(key);
    this.#loaded.delete(key);
    this.#loaded.set(key, known ?? ++this.#names);
    if (known !== undefined) return { script: known };
    const unload: number[] = [];
    for (const [oldest, name] of this.#loaded) {
      if (this.#loaded.size <= this.#limits.loadedScripts) break;
      this.#loaded.delete(oldest);
      unload.push(name);
    }
    return { script: this.#names, source, unload };
  }

  #answered(reply: Reply): void {
    const execution = this.#execution;
    if (execution && (reply.kind === 'done' || reply.kind === 'compiled') && reply.id === execution.id) {
      this.#end(execution, { from: 'runner', reply });
    } else {
      this.#kill({ result: 'killed', message: 'The runner broke the protocol.' }); // It is not ours any more.
    }
  }

  #end({ job, startedAt }: Execution, answer: AnswerFrom): void {
    this.#execution = undefined;
    this.#lastScript = job.script;
    if (this.#isAlive && this.#isWorn(job)) this.#retire();
    this.onEnd(job);
    job.settle({ ...answer, wallMs: performance.now() - startedAt });
  }

  /** Of a death between two runs: what the last one left behind. A runner that ends in order has only grown old. */
  get #culprit(): ScriptVersion | undefined {
    return this.process.obituary.code === 0 ? undefined : this.#lastScript;
  }

  /** Memory that earlier runs left behind is not the fault of the next one: the runner goes, nobody is blamed. */
  #isWorn({ memoryMb }: Job): boolean {
    const allowed = this.#limits.runnerBytes + this.#loaded.size * (memoryMb + 4) * 1024 * 1024;
    return this.#memory.isWatched && this.#memory.bytes > allowed;
  }

  #retire(): void {
    void this.process.kill();
    this.#isAlive = false;
    this.#memory.close();
    this.onDeath({ cause: undefined });
  }

  /** The pool goes on at once; the kernel may need a while to take back the memory. */
  #kill(stopped: Stopped): void {
    void this.process.kill();
    this.#died(stopped);
  }

  #died(stopped: Stopped = { result: 'killed', message: 'The script ended its runner.' }): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#memory.close();
    const execution = this.#execution;
    const begun = execution !== undefined && this.process.lastBegun() === execution.id;
    if (!execution) this.onDeath({ cause: this.#culprit });
    else if (begun) {
      this.onDeath({ cause: execution.job.script });
      this.#end(execution, { from: 'pool', ...stopped });
    } else {
      this.#execution = undefined;
      this.onDeath({ cause: this.#culprit, notBegun: execution.job });
    }
  }
}
