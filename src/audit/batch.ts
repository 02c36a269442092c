import { unavailable } from '../database/drivers/unavailable.ts';
import { type AuditDatabase, type AuditEntry, type OwnedEntry, recordOwned } from './record.ts';

/** How long an entry may wait, and so what a `kill -9` may lose. */
const MAX_WAIT_MS = 100;
/** Rows of one statement; when as many wait, they wait no longer. */
const MAX_ENTRIES = 1_000;
/** Some megabytes: then no more requests are taken. */
const MAX_UNWRITTEN = 10_000;

export interface AuditBatchOptions {
  database: AuditDatabase;
  /** Told of entries that could not be written. */
  onError: (error: unknown) => void;
}

/**
 * The audit log's slow lane: for what changes nothing else (a plain token, a refusal) and must not pay for a
 * transaction of its own. What changes something is recorded with the change, by `recordAudit`.
 */
export class AuditBatch {
  readonly #database: AuditDatabase;
  readonly #onError: AuditBatchOptions['onError'];
  #waiting: OwnedEntry[] = [];
  /** Also those that are being written. */
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

  /**
   * Whether the database has not taken so many that more must not come. The loser, to drop them, would leave what was
   * done unrecorded.
   */
  get isBehind(): boolean {
    return this.#unwritten >= MAX_UNWRITTEN;
  }

  /** Resolves once everything added so far is on disk, or was given up. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const taken = this.#waiting.splice(0);
    if (taken.length > 0) this.#writing = this.#writing.then(() => this.#write(taken));
    return this.#writing;
  }

  close(): Promise<void> {
    return this.flush();
  }

  async #write(taken: readonly OwnedEntry[]): Promise<void> {
    await this.#record(taken);
    this.#unwritten -= taken.length;
  }

  /**
   * Of all tenants together: with a statement for each, five hundred tenants would be recorded more slowly than they are
   * answered. An entry that the database does not take must not take the others with it.
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
