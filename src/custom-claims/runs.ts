import { newOrderedId } from '../base/ids.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { ScriptRunRow } from '../database/tables/index.ts';
import type { Logger } from '../observe/logger.ts';

const FLUSH_MS = 100;
/** Rows of one insert. Beyond what SQLite binds in one statement nothing is gained. */
const BATCH = 200;
/** When the database has not taken this many, the newest are dropped: the log must not eat the memory of the service. */
const MAX_UNWRITTEN = 20_000;

export type Run = Omit<ScriptRunRow, 'tenantId' | 'id'>;

/**
 * The run log. Written in batches after the answer has left, so a run costs the token nothing; what
 * a kill may lose is the last 100 ms of it. Never the values of claims.
 */
export class RunLog {
  readonly #logger: Logger;
  readonly #waiting: { store: TenantStore; run: Run }[] = [];
  /** Also those that are being written. */
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(store: TenantStore, run: Run): void {
    if (this.#unwritten >= MAX_UNWRITTEN) return;
    this.#unwritten += 1;
    this.#waiting.push({ store, run });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Settles when all that was added before is written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const runs = this.#waiting.splice(0);
    this.#flushing = this.#flushing.then(() => this.#write(runs));
    return this.#flushing;
  }

  async #write(runs: { store: TenantStore; run: Run }[]): Promise<void> {
    for (const [store, ofStore] of Map.groupBy(runs, ({ store }) => store)) {
      for (let start = 0; start < ofStore.length; start += BATCH) {
        const rows = ofStore
          .slice(start, start + BATCH)
          .map(({ run }) => ({ id: newOrderedId(run.createdAt), ...run }));
        await store
          .add('scriptRuns', rows)
          .catch((err: unknown) => this.#logger.warn({ err }, 'script runs were not written'));
        this.#unwritten -= rows.length;
      }
    }
  }
}
