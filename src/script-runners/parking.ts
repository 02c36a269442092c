import type { FetchCall, Reply } from '../../sandbox/protocol.ts';
import type { FetchBroker } from './fetch-broker.ts';
import type { Job } from './types.ts';

/** A job that a runner has begun. */
export interface Execution {
  id: number;
  /** The script's name in the runner. */
  script: number;
  job: Job;
  /** Its answer may have waited for those of others. */
  sharesTurn: boolean;
  /** `performance.now()`; waiting for a fetch counts. */
  startedAt: number;
  fetches: number;
  /** Milliseconds of CPU until it was last parked. */
  cpuMs: number;
  /** Its turn ended when it was first parked: from then on it takes no place among its tenant's running jobs. */
  wasParked: boolean;
  /** Made when the run is first parked, aborted when its job has its answer. */
  over?: AbortController;
}

export interface Arrival {
  execution: Execution;
  fetch: number;
  /** JSON text of a `FetchAnswer`. */
  response: string;
}

/** The runner is not trusted: what it sends is looked at as if the script had written it. */
const isFetchCall = (call: FetchCall | null | undefined): boolean =>
  Number.isInteger(call?.fetch) && typeof call?.request === 'string';

/** Runs of one runner that wait for a fetch. While they do, the runner executes others. */
export class Parking {
  /** Something arrived: the runner may go on with it. */
  onArrival: () => void = () => {};

  readonly #broker: FetchBroker | undefined;
  readonly #parked = new Map<number, Execution>();
  #arrivals: Arrival[] = [];

  constructor(broker: FetchBroker | undefined) {
    this.#broker = broker;
  }

  get size(): number {
    return this.#parked.size;
  }

  get hasArrivals(): boolean {
    return this.#arrivals.length > 0;
  }

  /** False when the run asked for more than it may: then its runner does not keep the rules. */
  park(execution: Execution, { cpuMs, fetches }: Extract<Reply, { kind: 'parked' }>, most: number): boolean {
    if (!this.#broker || !Array.isArray(fetches) || !fetches.every(isFetchCall)) return false;
    execution.cpuMs = Number(cpuMs) || 0;
    execution.fetches += fetches.length;
    if (execution.fetches > most) return false;
    this.#parked.set(execution.id, execution);
    execution.over ??= new AbortController();
    const { signal } = execution.over;
    for (const { fetch, request } of fetches) {
      void this.#broker.answer(execution.job.script.tenantId, request, signal).then((response) => {
        if (signal.aborted) return;
        this.#arrivals.push({ execution, fetch, response });
        this.onArrival();
      });
    }
    return true;
  }

  /** The next answer for a run that is still parked; the run is not parked any more. Other answers to it stay here. */
  take(): Arrival | undefined {
    const index = this.#arrivals.findIndex(({ execution }) => this.#parked.has(execution.id));
    const [arrival] = index < 0 ? [] : this.#arrivals.splice(index, 1);
    if (arrival) this.#parked.delete(arrival.execution.id);
    return arrival;
  }

  /** Takes a run out for good. */
  remove(id: number): Execution | undefined {
    const execution = this.#parked.get(id);
    this.#parked.delete(id);
    this.#arrivals = this.#arrivals.filter((arrival) => arrival.execution.id !== id);
    return execution;
  }

  /** Runs whose time is over. */
  overdue(now: number): Execution[] {
    return [...this.#parked.values()].filter(({ startedAt, job }) => now > startedAt + job.timeoutMs);
  }

  removeAll(): Execution[] {
    return [...this.#parked.keys()].flatMap((id) => this.remove(id) ?? []);
  }
}
