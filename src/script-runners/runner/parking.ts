import type { FetchCall, Reply } from '../../../sandbox/protocol.ts';
import type { FetchBroker } from '../fetch-broker.ts';
import type { Execution } from './execution.ts';

export interface Arrival {
  execution: Execution;
  fetch: number;
  /** JSON text of a `FetchAnswer`. */
  response: string;
}

/** Checks one fetch of a runner's reply. The runner is not trusted, so it is treated as if the script had written it. */
const isFetchCall = (call: FetchCall | null | undefined): boolean =>
  Number.isInteger(call?.fetch) && typeof call?.request === 'string';

/** The runs of one runner that wait for a fetch. The runner executes others in the meantime. */
export class Parking {
  readonly #broker: FetchBroker | undefined;
  readonly #onArrival: () => void;
  readonly #parked = new Map<number, Execution>();
  readonly #forgotten = new Set<number>();
  #arrivals: Arrival[] = [];

  /** @param onArrival called when `take` may have something to return */
  constructor(broker: FetchBroker | undefined, onArrival: () => void) {
    this.#broker = broker;
    this.#onArrival = onArrival;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Returns false if the reply is malformed or the run exceeded its fetch limit: the runner broke the protocol and has to be killed. */
  park(execution: Execution, { cpuMs, fetches }: Extract<Reply, { kind: 'parked' }>, most: number): boolean {
    if (!this.#broker || !Array.isArray(fetches) || !fetches.every(isFetchCall)) return false;
    execution.cpuMs = Number(cpuMs) || 0;
    execution.fetches += fetches.length;
    if (execution.fetches > most) return false;
    execution.run.enter('parked');
    this.#parked.set(execution.id, execution);
    execution.abort ??= new AbortController();
    const { signal } = execution.abort;
    for (const { fetch, request } of fetches) {
      void this.#broker(execution.run.script.tenantId, request, signal).then((response) => {
        if (signal.aborted) return;
        this.#arrivals.push({ execution, fetch, response });
        this.#onArrival();
      });
    }
    return true;
  }

  /** Returns the next answer for a parked run and resumes that run. Further answers for it stay here until it is parked again. */
  take(): Arrival | undefined {
    const index = this.#arrivals.findIndex(({ execution }) => this.#parked.has(execution.id));
    const [arrival] = index < 0 ? [] : this.#arrivals.splice(index, 1);
    if (!arrival) return undefined;
    this.#parked.delete(arrival.execution.id);
    arrival.execution.run.enter('resumed');
    return arrival;
  }

  /** Removes a run together with answers that it has not received. */
  remove(id: number): Execution | undefined {
    const execution = this.#parked.get(id);
    this.#parked.delete(id);
    this.#arrivals = this.#arrivals.filter((arrival) => arrival.execution.id !== id);
    return execution;
  }

  /** Removes a run that has timed out. */
  forget(id: number): void {
    this.remove(id);
    this.#forgotten.add(id);
  }

  /** True once for each forgotten run: its runner may have reported its end before it was told to forget it. */
  wasForgotten(id: number): boolean {
    return this.#forgotten.delete(id);
  }

  /** Returns the runs that have timed out. */
  overdue(now: number): Execution[] {
    return [...this.#parked.values()].filter(({ startedAt, run }) => now > startedAt + run.timeoutMs);
  }

  removeAll(): Execution[] {
    return [...this.#parked.keys()].flatMap((id) => this.remove(id) ?? []);
  }
}
