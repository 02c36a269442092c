import type { Reply, Request } from '../../../sandbox/protocol.ts';
import type { FetchBroker } from '../fetch-broker.ts';
import type { SandboxLimits } from '../limits.ts';
import type { RunnerProcess } from '../process/runner-process.ts';
import { ProcessUsage } from '../process/usage.ts';
import type { Run } from '../run.ts';
import { newRunnerState } from '../states.ts';
import type { ScriptVersion, Stopped } from '../types.ts';
import { type Execution, executionOf, settle } from './execution.ts';
import { LoadedScripts } from './loaded-scripts.ts';
import type { RunnerOwner } from './owner.ts';
import { Parking } from './parking.ts';
import { BYSTANDER, CRASHED, fetchTimeout, OVERSIZE, OVERTIME, PROTOCOL_BROKEN } from './stop-reasons.ts';
import { Turn } from './turn.ts';

const NO_TURN = new Turn([], 0);

/** One child process as the pool sees it: which scripts it has loaded, what it executes, and when that has to stop. */
export class Runner {
  /** The group of the runner and its runs. Changes when the runner moves. */
  owner: RunnerOwner<Runner>;
  readonly process: RunnerProcess;
  readonly scripts: LoadedScripts;
  readonly #usage: ProcessUsage;
  readonly #limits: SandboxLimits;
  readonly #parking: Parking;
  readonly #state = newRunnerState();
  #ids = 0;
  /** Has runs only in the state `executing`. */
  #turn = NO_TURN;
  #lastScript: ScriptVersion | undefined;

  constructor(
    process: RunnerProcess,
    owner: RunnerOwner<Runner>,
    limits: SandboxLimits,
    broker: FetchBroker | undefined,
  ) {
    this.process = process;
    this.owner = owner;
    this.#limits = limits;
    this.scripts = new LoadedScripts(limits.loadedScripts);
    this.#usage = new ProcessUsage(process.pid);
    this.#parking = new Parking(broker, () => this.#guard(() => this.#resume()));
    process.listen({
      replied: (reply) => this.#guard(() => this.#replied(reply)),
      exited: () => this.#guard(() => this.#end(CRASHED)),
    });
  }

  get isFree(): boolean {
    return this.#state.is('idle', 'awaiting-fetch') && this.#parking.size < this.#limits.parked;
  }

  /** True if the runner accepts no run and has begun no turn for this many milliseconds. */
  isHeld(ms: number): boolean {
    return !this.isFree && this.#turn.age(performance.now()) > ms;
  }

  get isBusy(): boolean {
    return this.#state.is('executing', 'awaiting-fetch');
  }

  get status() {
    return { pid: this.process.pid, loadedScripts: this.scripts.size, residentBytes: this.#usage.bytes };
  }

  /** Unanswered runs of the current turn in the state `executing`. */
  get runs(): Run[] {
    return this.#turn.left.map(({ run }) => run).filter((run) => run.is('executing'));
  }

  /**
   * Returns the tenant whose run has computed for this many milliseconds in the current turn. That is the run that the runner recorded
   * as begun, so time that earlier runs left behind is not counted against a run that waits.
   */
  tenantComputing(now: number, ms: number): string | undefined {
    if (!this.#state.is('executing')) return undefined;
    const spentMs = this.#usage.computedMs ?? this.#turn.age(now);
    if (spentMs < ms) return undefined;
    return this.#turn.find(this.process.lastBegun())?.run.script.tenantId;
  }

  /** @param others runs of the same script, which is quick: they share a turn */
  execute(run: Run, ...others: Run[]): void {
    const runs = [run, ...others];
    const requests = runs.map((each, place) => this.scripts.requestOf(++this.#ids, each, place > 0));
    const entered: Run[] = [];
    const hasBegun = this.#guard(() => {
      for (const each of runs) {
        each.enter('executing');
        entered.push(each);
      }
      this.#begin(runs.map((each, place) => executionOf(each, requests[place] as Request, others.length > 0)));
    });
    if (hasBegun) this.process.send(requests);
    else for (const each of entered) this.owner.handedBack(each);
  }

  /** Stops runs that take too long or use too much memory. Native built-ins ignore every limit inside the runner. */
  watch(now: number): void {
    this.#guard(() => {
      for (const execution of this.#parking.overdue(now)) this.#forget(execution);
      if (!this.#state.is('executing')) return;
      const turn = this.#turn;
      if (turn.isOver(now, this.#limits.graceMs)) {
        // One iteration of the event loop later: if this process was busy, an answer that is already there is read first.
        setImmediate(() => this.#guard(() => this.#turn === turn && this.#kill(OVERTIME)));
      } else if (this.#usage.growth > this.#limits.growthBytes) this.#kill(OVERSIZE);
    });
  }

  /** Ends the process between two runs, without a cause. */
  retire(): Promise<void> {
    this.#close();
    return this.process.kill();
  }

  /**
   * Does one step of an event handler. If it fails, for example because a transition is not allowed, this runner ends and not the service.
   *
   * @returns false if it failed
   */
  #guard(step: () => unknown): boolean {
    try {
      step();
      return true;
    } catch (error) {
      this.owner.failed(this, error);
      this.#kill(CRASHED);
      return false;
    }
  }

  #close(): void {
    this.#state.enter('ended');
    this.#usage.close();
  }

  #begin(executions: Execution[]): void {
    this.#state.enter('executing');
    this.#turn = new Turn(executions, this.#limits.turnMs);
    this.#usage.mark();
  }

  /** Enters the state that fits the parked runs, once no turn is left. */
  #rest(): void {
    this.#turn = NO_TURN;
    this.#state.enter(this.#parking.size > 0 ? 'awaiting-fetch' : 'idle');
  }

  /** Continues a run whose fetch was answered. It goes before runs that have not begun. */
  #resume(): void {
    const arrival = this.#state.is('awaiting-fetch') ? this.#parking.take() : undefined;
    if (!arrival) return;
    const { execution, fetch, response } = arrival;
    const { id, script, run, startedAt } = execution;
    this.#begin([execution]);
    const timeoutMs = Math.max(1, Math.ceil(startedAt + run.timeoutMs - performance.now()));
    this.process.send([{ kind: 'resume', id, script, fetch, response, timeoutMs }]);
  }

  #replied(reply: Reply): void {
    const execution = reply.kind === 'ready' ? undefined : this.#turn.find(reply.id);
    if (!execution || reply.kind === 'ready') this.#repliedOutOfTurn(reply);
    else if (reply.kind === 'parked') this.#park(execution, reply);
    else if (reply.kind !== 'back') {
      if (reply.kind === 'done') this.scripts.took(execution.run.script, reply.wallMs);
      this.#free(execution, execution.run.is('executing'));
      settle(execution, { from: 'runner', reply });
      this.#parking.remove(execution.id); // Responses that it did not wait for.
    } else if (this.#turn.mayHandBack(execution)) {
      this.#leave(execution);
      this.owner.handedBack(execution.run);
    } else this.#kill(PROTOCOL_BROKEN);
  }

  /** Accepts only the failure of a parked run whose isolate was disposed of with another run. */
  #repliedOutOfTurn(reply: Reply): void {
    const parked = reply.kind === 'done' ? this.#parking.remove(reply.id) : undefined;
    if (parked && reply.kind === 'done') {
      settle(parked, { from: 'runner', reply });
      this.#leftParking();
      this.owner.freed(this, undefined);
    } else if (reply.kind !== 'done' || !this.#parking.wasForgotten(reply.id)) this.#kill(PROTOCOL_BROKEN);
  }

  #park(execution: Execution, reply: Extract<Reply, { kind: 'parked' }>): void {
    const wasExecuting = execution.run.is('executing');
    if (this.#parking.park(execution, reply, this.#limits.fetches)) this.#free(execution, wasExecuting);
    else this.#kill(PROTOCOL_BROKEN);
  }

  /** Answers a parked run that has timed out. */
  #forget(execution: Execution): void {
    const { id, script, cpuMs, run } = execution;
    this.process.send([{ kind: 'forget', id, script }]);
    this.#parking.forget(id);
    settle(execution, { from: 'pool', cpuMs, ...fetchTimeout(run.timeoutMs) });
    this.#leftParking();
    this.owner.freed(this, undefined);
  }

  #leftParking(): void {
    if (this.#state.is('awaiting-fetch') && this.#parking.size === 0) this.#rest();
  }

  #free(execution: Execution, wasExecuting: boolean): void {
    this.#lastScript = execution.run.script;
    this.#leave(execution);
    this.owner.freed(this, wasExecuting ? execution.run : undefined);
  }

  #leave(execution: Execution): void {
    this.#turn.remove(execution);
    if (this.#turn.left.length > 0) return;
    this.#rest();
    const mostBytes = this.#limits.runnerBytes + this.scripts.size * (execution.run.memoryMb + 4) * 1024 * 1024;
    // Memory that earlier runs left behind is no fault of the next one, so the runner is replaced between two runs, without a cause.
    if (this.#state.is('idle') && this.#usage.exceeds(mostBytes)) this.#end(CRASHED, true);
    this.#resume();
  }

  /** The pool continues at once, although the kernel may need a while to free the memory. */
  #kill(stopped: Stopped): void {
    void this.process.kill();
    this.#end(stopped);
  }

  #end(stopped: Stopped, isRetired = false): void {
    if (this.#state.is('ended')) return;
    this.#close();
    const begun = this.#turn.find(this.process.lastBegun());
    const others = this.#turn.left.filter((execution) => execution !== begun);
    this.#turn = NO_TURN;

    const innocent = others.map(({ run }) => run).filter((run) => run.is('executing'));
    const lost = [...this.#parking.removeAll(), ...others.filter(({ run }) => run.is('resumed'))];
    for (const execution of lost)
      this.#guard(() => settle(execution, { from: 'pool', cpuMs: execution.cpuMs, ...BYSTANDER }));

    // Between two runs the last one is the cause, by what it left behind. A runner that exits with 0 has only reached its age limit.
    const isBlameless = isRetired || this.process.exit.code === 0;
    const cause = begun?.run.script ?? (isBlameless ? undefined : this.#lastScript);
    this.#guard(() => this.owner.ended(this, { cause, innocent }));
    if (!begun) return;
    this.#guard(() => this.owner.freed(this, begun.run.is('executing') ? begun.run : undefined));
    this.#guard(() => settle(begun, { from: 'pool', endedRunner: true, ...stopped }));
  }
}
