import type { Logger } from '../../observe/logger.ts';
import type { Deliveries } from './deliveries.ts';
import type { Settlement } from './statements.ts';

/** A batch is written when it has this many rows, or this long after its first row. */
const BATCH_ROWS = 100;
const BATCH_DELAY_MS = 5;
/** Largest batch, for what accumulated during a slow write. */
const MAX_BATCH_ROWS = 500;
/** Delay after a failed write. */
const RETRY_DELAY_MS = 1000;

/**
 * Writes settlements in batches, one at a time: the next batch fills while one is being written. Settlements lost in a
 * crash mean repeated deliveries, so few may be pending: never more than arrive during one write.
 */
export class Settler {
  readonly #deliveries: Deliveries;
  readonly #logger: Logger;
  readonly #pending: Settlement[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(deliveries: Deliveries, logger: Logger) {
    this.#deliveries = deliveries;
    this.#logger = logger;
  }

  add(settlement: Settlement): void {
    this.#pending.push(settlement);
    if (this.#writing) return;
    if (this.#pending.length >= BATCH_ROWS) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), BATCH_DELAY_MS);
  }

  /** Writes all pending settlements. Does not retry a failed write: the leases expire by themselves. */
  async flush(): Promise<void> {
    await this.#writing;
    for (let before = Infinity; this.#pending.length > 0 && this.#pending.length < before; ) {
      before = this.#pending.length;
      this.#write();
      await this.#writing;
    }
    clearTimeout(this.#timer);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#pending.splice(0, MAX_BATCH_ROWS);
    this.#writing = this.#deliveries
      .settle(batch)
      .then(() => (this.#pending.length < BATCH_ROWS ? BATCH_DELAY_MS : 0))
      .catch((error) => {
        this.#logger.error({ err: error, rows: batch.length }, 'Could not record webhook attempts');
        this.#pending.unshift(...batch);
        return RETRY_DELAY_MS;
      })
      .then((delayMs) => {
        this.#writing = undefined;
        if (this.#pending.length > 0) this.#timer ??= setTimeout(() => this.#write(), delayMs);
      });
  }
}
