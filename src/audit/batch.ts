import { unavailable } from '../database/unavailable.ts';
import type { Tenants } from '../tenants.ts';
import { type AuditEntry, recordAudits } from './record.ts';

/** How long an entry may wait, and so what a `kill -9` may lose. */
const MAX_WAIT_MS = 100;
/** More are written at once instead of waited for. */
const MAX_ENTRIES = 1_000;
/** Some megabytes: then no more requests are taken. */
const MAX_UNWRITTEN = 10_000;

export interface AuditBatchOptions {
  tenants: Pick<Tenants, 'byId'>;
  /** Told of entries that could not be written. */
  onError: (error: unknown) => void;
}

/**
 * The audit log's slow lane: for what changes nothing else (a plain token, a refusal) and must not pay for a
 * transaction of its own. What changes something is recorded with the change, by `recordAudit`.
 */
export class AuditBatch {
  readonly #tenants: AuditBatchOptions['tenants'];
  readonly #onError: AuditBatchOptions['onError'];
  #waiting = new Map<string, AuditEntry[]>();
  #count = 0;
  /** Also those that are being written. */
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ tenants, onError }: AuditBatchOptions) {
    this.#tenants = tenants;
    this.#onError = onError;
  }

  add(tenantId: string, entry: AuditEntry): void {
    const entries = this.#waiting.get(tenantId);
    if (entries) entries.push(entry);
    else this.#waiting.set(tenantId, [entry]);
    this.#count += 1;
    this.#unwritten += 1;
    if (this.#count >= MAX_ENTRIES) void this.flush();
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
    if (this.#count === 0) return this.#writing;
    const taken = this.#waiting;
    this.#waiting = new Map();
    this.#count = 0;
    this.#writing = this.#writing.then(() => this.#write(taken));
    return this.#writing;
  }

  close(): Promise<void> {
    return this.flush();
  }

  async #write(taken: ReadonlyMap<string, AuditEntry[]>): Promise<void> {
    for (const [tenantId, entries] of taken) {
      await this.#record(tenantId, entries);
      this.#unwritten -= entries.length;
    }
  }

  /** An entry that the database does not take must not take the others with it. */
  async #record(tenantId: string, entries: readonly AuditEntry[]): Promise<void> {
    try {
      const tenant = await this.#tenants.byId(tenantId);
      if (tenant) await tenant.store.transaction((store) => recordAudits(store, entries));
    } catch (error) {
      if (entries.length === 1 || unavailable(error)) return this.#onError(error);
      const half = Math.ceil(entries.length / 2);
      await this.#record(tenantId, entries.slice(0, half));
      await this.#record(tenantId, entries.slice(half));
    }
  }
}
