import { newOrderedId } from '../base/ids.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { ScriptRunRow } from '../database/tables/index.ts';
import type { Logger } from '../observe/logger.ts';

const FLUSH_MS = 100;
/** Rows per insert. SQLite limits the bound values of one statement, and larger batches gain nothing. */
const BATCH = 200;
/** Runs that may wait to be written. Beyond that new ones are dropped, so that a slow database cannot use up the memory. */
const MAX_UNWRITTEN = 20_000;

export type LoggedRun = Omit<ScriptRunRow, 'tenantId' | 'id'>;

/**
 * The run log. It is written in batches after the response was sent, so it does not slow down issuance. A killed process loses
 * at most the last 100 ms. It never contains the values of claims.
 */
export class RunLog {
  readonly #logger: Logger;
  readonly #waiting: { store: TenantStore; run: LoggedRun }[] = [];
  /** Includes runs of an insert in progress. */
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(store: TenantStore, run: LoggedRun): void {
    if (this.#unwritten >= MAX_UNWRITTEN) return;
    this.#unwritten += 1;
    this.#waiting.push({ store, run });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Resolves when every run added before this call is written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const runs = this.#waiting.splice(0);
    this.#flushing = this.#flushing.then(() => this.#write(runs));
    return this.#flushing;
  }

  async #write(runs: { store: TenantStore; run: LoggedRun }[]): Promise<void> {
    for (const [store, runsOfStore] of Map.groupBy(runs, ({ store }) => store)) {
      for (let start = 0; start < runsOfStore.length; start += BATCH) {
        const rows = runsOfStore
          .slice(start, start + BATCH)
          .map(({ run }) => ({ id: newOrderedId(run.createdAt), ...run }));
        await store
          .add('scriptRuns', rows)
          .catch((err: unknown) => this.#logger.warn({ err }, 'Script runs could not be written to the run log'));
        this.#unwritten -= rows.length;
      }
    }
  }
}
