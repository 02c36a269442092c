/** The policy for entries whose write failed. */
type FailurePolicy =
  /** The entries are lost. */
  | { onFailure: 'drop' }
  /** The entries stay ahead of newer ones. They are written again after `retryMs`, or once the batch is full. */
  | { onFailure: 'keep'; retryMs: number }
  /** The entries are halved until only those that cannot be written are lost; in an outage all are lost at once. */
  | { onFailure: 'split'; isOutage: (error: unknown) => boolean };

export type BatchOptions<Entry> = FailurePolicy & {
  /** Writes all entries or none. One write runs at a time. */
  write: (entries: Entry[]) => Promise<unknown>;
  /** Longest wait of an entry, after the write in progress if there is one. A killed process loses what waits. */
  maxWaitMs: number;
  /** Most entries of one write. */
  maxEntries: number;
  /** Number of entries that are written without waiting: `maxEntries` by default. */
  fullAt?: number;
  /** Number of unwritten entries from which `isBehind` is true: unlimited by default. */
  maxUnwritten?: number;
  /** True: new entries are dropped while `isBehind`. Otherwise the owner refuses the work that would add more. */
  dropsOverflow?: boolean;
  /** Called with the number of entries that were not written. */
  onError: (error: unknown, entries: number) => void;
};

/**
 * Gathers entries and writes them together, in order, so that callers neither wait nor pay for a transaction each. The
 * next batch fills while one is written.
 */
export class Batch<Entry> {
  readonly #options: BatchOptions<Entry>;
  readonly #fullAt: number;
  readonly #waiting: Entry[] = [];
  /** Entries that wait, and those of the write in progress. */
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves to the number of entries that were written or lost. */
  #writing: Promise<number> | undefined;

  constructor(options: BatchOptions<Entry>) {
    this.#options = options;
    this.#fullAt = options.fullAt ?? options.maxEntries;
  }

  get isBehind(): boolean {
    return this.#unwritten >= (this.#options.maxUnwritten ?? Infinity);
  }

  add(entry: Entry): void {
    if (this.#options.dropsOverflow && this.isBehind) return;
    this.#waiting.push(entry);
    this.#unwritten += 1;
    if (this.#writing) return;
    if (this.#waiting.length >= this.#fullAt) void this.#write();
    else this.#writeIn(this.#options.maxWaitMs);
  }

  /** Resolves once every entry added so far is written or lost, or the entries of a failed write are kept. */
  async flush(): Promise<void> {
    let left = this.#unwritten;
    if (this.#writing) left -= await this.#writing;
    while (left > 0) {
      const settled = await (this.#writing ?? this.#write());
      if (settled === 0) return;
      left -= settled;
    }
  }

  /** Flushes for the last time. Entries that are still kept are not written again. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  #writeIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => void this.#write(), delayMs);
  }

  #write(): Promise<number> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#finish(this.#waiting.splice(0, this.#options.maxEntries));
    return this.#writing;
  }

  async #finish(entries: Entry[]): Promise<number> {
    const options = this.#options;
    const settled = await this.#settle(entries);
    this.#writing = undefined;
    this.#unwritten -= settled;
    if (settled === 0) this.#waiting.unshift(...entries);
    if (settled === 0 && options.onFailure === 'keep') this.#writeIn(options.retryMs);
    else if (this.#waiting.length > 0) this.#writeIn(this.#waiting.length >= this.#fullAt ? 0 : options.maxWaitMs);
    return settled;
  }

  /** Writes the entries. @returns the number that was written or lost: 0 if they are kept */
  async #settle(entries: Entry[]): Promise<number> {
    const options = this.#options;
    try {
      await options.write(entries);
    } catch (error) {
      if (options.onFailure === 'split' && entries.length > 1 && !options.isOutage(error)) {
        const half = Math.ceil(entries.length / 2);
        await this.#settle(entries.slice(0, half));
        return (await this.#settle(entries.slice(half))) + half;
      }
      await Promise.try(options.onError, error, entries.length).catch(() => {}); // A report must not end the writes.
      if (options.onFailure === 'keep') return 0;
    }
    return entries.length;
  }
}
