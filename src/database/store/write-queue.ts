import { StateMachine } from '../../base/state.ts';
import { unavailable } from '../drivers/unavailable.ts';

interface Waiting<Entry, Result> {
  entry: Entry;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface WriteQueueOptions<Entry, Result> {
  /** Writes all entries in one transaction, or none. @returns their results in the same order */
  write: (entries: readonly Entry[]) => Promise<readonly Result[]>;
  /** Entries with equal keys are not written together. */
  keyOf?: (entry: Entry) => unknown;
}

/** Adds an entry to its queue. Resolves once it is written. Rejects if nothing was written. */
export type Add<Entry, Result> = (entry: Entry) => Promise<Result>;

/** Most entries of one write. */
const MAX_BATCH = 64;

function halvesOf<T>(list: readonly T[]): readonly T[][] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

/** A write starts when this fraction of the requests in progress is ready, or after `GATHER_MS` milliseconds. */
const READY_FRACTION = 0.7;
const GATHER_MS = 1;

/**
 * - `idle`: no entry is waiting.
 * - `gathering`: entries are waiting, and the timer runs for more requests to become ready.
 * - `starting`: the next write starts at the end of this turn of the event loop. Entries that arrive until then join it.
 * - `writing`: a write is in progress. New entries wait for the next one.
 */
export type WriteQueueState = 'idle' | 'gathering' | 'starting' | 'writing';

export const WRITE_QUEUE_TRANSITIONS: Readonly<Record<WriteQueueState, readonly WriteQueueState[]>> = {
  idle: ['gathering', 'starting'],
  gathering: ['starting', 'writing'],
  starting: ['writing'],
  writing: ['idle'],
};

/**
 * Writes what several requests have ready at about the same time in one transaction, since a commit and a round trip
 * cost the same for one as for many. A single request does not wait. Rejected: writing as soon as one is ready. With 16
 * callers the first wrote alone and 15 waited.
 *
 * A write that fails wrote nothing. Then each half of it is tried, and so on, so that none fails for another's reason.
 * Rejected: each entry by itself, with which one failure among 64 costs 64 writes instead of 12.
 */
export class WriteQueue<Entry, Result> {
  readonly #options: WriteQueueOptions<Entry, Result>;
  readonly #state = new StateMachine<WriteQueueState>('write queue', WRITE_QUEUE_TRANSITIONS, 'idle');
  /** Requests that may add an entry soon. */
  #inProgress = 0;
  #waiting: Waiting<Entry, Result>[] = [];
  /** Runs in state `gathering` only. */
  #gatherTimer: NodeJS.Timeout | undefined;

  constructor(options: WriteQueueOptions<Entry, Result>) {
    this.#options = options;
  }

  get state(): WriteQueueState {
    return this.#state.current;
  }

  readonly add: Add<Entry, Result> = (entry) =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      this.#gather();
    });

  /** Runs a request that adds its entry when it is ready. For at most `GATHER_MS` others wait for it. */
  async run<T>(request: (add: Add<Entry, Result>) => Promise<T>): Promise<T> {
    this.#inProgress++;
    try {
      return await request(this.add);
    } finally {
      this.#inProgress--;
      this.#gather();
    }
  }

  /** Called whenever an entry arrives, a request ends or a write is done. */
  #gather(): void {
    if (this.#waiting.length === 0 || this.#state.is('starting', 'writing')) return;
    if (this.#waiting.length < this.#inProgress * READY_FRACTION) {
      if (this.#state.is('gathering')) return;
      this.#state.enter('gathering');
      this.#gatherTimer = setTimeout(() => void this.#writeWaiting(), GATHER_MS);
      return;
    }
    clearTimeout(this.#gatherTimer);
    this.#state.enter('starting');
    setImmediate(() => void this.#writeWaiting());
  }

  async #writeWaiting(): Promise<void> {
    this.#state.enter('writing');
    await this.#write(this.#takeBatch());
    this.#state.enter('idle');
    this.#gather();
  }

  /** Takes the first of several entries with equal keys. */
  #takeBatch(): Waiting<Entry, Result>[] {
    const { keyOf = (entry) => entry } = this.#options;
    const batch = new Map<unknown, Waiting<Entry, Result>>();
    const rest: Waiting<Entry, Result>[] = [];
    for (const waiting of this.#waiting) {
      const key = keyOf(waiting.entry);
      if (batch.size < MAX_BATCH && !batch.has(key)) batch.set(key, waiting);
      else rest.push(waiting);
    }
    this.#waiting = rest;
    return [...batch.values()];
  }

  /** Never throws. */
  async #write(batch: readonly Waiting<Entry, Result>[]): Promise<void> {
    try {
      const results = await this.#options.write(batch.map(({ entry }) => entry));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || unavailable(error)) for (const { reject } of batch) reject(error);
      else for (const half of halvesOf(batch)) await this.#write(half);
    }
  }
}
