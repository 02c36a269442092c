import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import { type BatchedRead, type DatabaseKind, type KeyRecord, readMany } from '../statements/batched-read.ts';

/** Maximum number of keys per statement. */
const MAX_BATCH = 64;

/**
 * Combines equal reads by several requests in one turn of the event loop into one statement, because a round trip costs
 * this process more than the row. Caches nothing. A single request waits only for the end of the turn.
 */
export class ReadBatches {
  readonly #reader: Knex;
  readonly #kind: DatabaseKind;
  readonly #loaders = new Map<BatchedRead<unknown>, DataLoader<KeyRecord, unknown>>();

  constructor(reader: Knex, kind: DatabaseKind) {
    this.#reader = reader;
    this.#kind = kind;
  }

  load<Row>(read: BatchedRead<Row>, key: KeyRecord): Promise<Row | undefined> {
    let loader = this.#loaders.get(read);
    if (!loader) {
      loader = new DataLoader((keys) => this.#read(read, keys), {
        cache: false,
        maxBatchSize: MAX_BATCH,
        batchScheduleFn: (send) => void setImmediate(send),
      });
      this.#loaders.set(read, loader);
    }
    return loader.load(key) as Promise<Row | undefined>;
  }

  async #read(read: BatchedRead<unknown>, keys: readonly KeyRecord[]): Promise<unknown[]> {
    try {
      return await readMany(this.#reader, this.#kind, read, keys);
    } catch (error) {
      if (keys.length === 1) throw error;
      // A key that the database rejects must not fail the others.
      const results = await Promise.allSettled(keys.map((key) => readMany(this.#reader, this.#kind, read, [key])));
      return results.map((result) => (result.status === 'fulfilled' ? result.value[0] : result.reason));
    }
  }
}
