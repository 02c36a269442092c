import type { Logger } from '../../observe/logger.ts';
import type { Deliveries } from './deliveries.ts';
import type { Settlement } from './statements.ts';

/** A batch is written when it has this many rows, or this long after its first. */
const BATCH_ROWS = 100;
const BATCH_DELAY_MS = 5;
/** What gathered during a slow write is written in portions of this. */
const MAX_BATCH_ROWS = 500;
/** After a failed write. */
const RETRY_DELAY_MS = 1000;

/**
 * Writes settlements in batches, one batch at a time: while one is being written the next fills. What a
 * crash takes from here is delivered again, so it must stay small; it is never more than arrives during one write.
 */
export class Settler {
  readonly #deliveries: Deliveries;
  readonly #logger: Logger;
  readonly #waiting: Settlement[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(deliveries: Deliveries, logger: Logger) {
    this.#deliveries = deliveries;
    this.#logger = logger;
  }

  add(settlement: Settlement): void {
    this.#waiting.push(settlement);
    if (this.#writing) return;
    if (this.#waiting.length >= BATCH_ROWS) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), BATCH_DELAY_MS);
  }

  /** Resolves when nothing waits. A write that fails is not repeated here: the leases end by themselves. */
  async flush(): Promise<void> {
    await this.#writing;
    for (let before = Infinity; this.#waiting.length > 0 && this.#waiting.length < before; ) {
      before = this.#waiting.length;
      this.#write();
      await this.#writing;
    }
    clearTimeout(this.#timer);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, MAX_BATCH_ROWS);
    this.#writing = this.#deliveries
      .settle(batch)
      .then(() => (this.#waiting.length < BATCH_ROWS ? BATCH_DELAY_MS : 0))
      .catch((error) => {
        this.#logger.error({ err: error, rows: batch.length }, 'webhook attempts could not be recorded');
        this.#waiting.unshift(...batch);
        return RETRY_DELAY_MS;
      })
      .then((delayMs) => {
        this.#writing = undefined;
        if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#write(), delayMs);
      });
  }
}
