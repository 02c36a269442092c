import { unavailable } from '../database/drivers/unavailable.ts';
import { type AuditDatabase, type AuditEntry, type OwnedEntry, recordOwned } from './record.ts';

/** Longest wait of an entry before it is written. A `kill -9` loses at most the entries of this time. */
const MAX_WAIT_MS = 100;
/** Rows per statement. A full batch is written at once. */
const MAX_ENTRIES = 1_000;
/** Entries in memory (a few megabytes) from which the service refuses further requests. */
const MAX_UNWRITTEN = 10_000;

export interface AuditBatchOptions {
  database: AuditDatabase;
  /** Called when entries could not be written. */
  onError: (error: unknown) => void;
}

/**
 * Writes audit entries in batches. It is for actions that change no other row (an issued token, a refusal), so that
 * they do not pay for a transaction each. A change is recorded in its own transaction, by `recordAudit`.
 */
export class AuditBatch {
  readonly #database: AuditDatabase;
  readonly #onError: AuditBatchOptions['onError'];
  #waiting: OwnedEntry[] = [];
  /** Entries that wait plus those being written. */
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ database, onError }: AuditBatchOptions) {
    this.#database = database;
    this.#onError = onError;
  }

  add(tenantId: string, entry: AuditEntry): void {
    this.#waiting.push({ tenantId, entry });
    this.#unwritten += 1;
    if (this.#waiting.length >= MAX_ENTRIES) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), MAX_WAIT_MS);
  }

  /** True if too many entries are unwritten to accept requests. Rejected: dropping entries, which leaves gaps. */
  get isBehind(): boolean {
    return this.#unwritten >= MAX_UNWRITTEN;
  }

  /** Resolves once every entry added so far was written or reported to `onError`. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#waiting.splice(0);
    if (entries.length > 0) this.#writing = this.#writing.then(() => this.#write(entries));
    return this.#writing;
  }

  async #write(entries: readonly OwnedEntry[]): Promise<void> {
    await this.#record(entries);
    this.#unwritten -= entries.length;
  }

  /**
   * Writes the entries of all tenants in one statement. Rejected: a statement per tenant; with 500 tenants recording is
   * then slower than answering. If the database refuses the batch, it is halved until only the bad entry is left out.
   */
  async #record(entries: readonly OwnedEntry[]): Promise<void> {
    try {
      await recordOwned(this.#database, entries);
    } catch (error) {
      if (entries.length === 1 || unavailable(error)) return this.#onError(error);
      const half = Math.ceil(entries.length / 2);
      await this.#record(entries.slice(0, half));
      await this.#record(entries.slice(half));
    }
  }
}
