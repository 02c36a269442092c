import type { Knex } from 'knex';
import type { Commits } from './notices/commits.ts';
import type { DatabaseKind } from './statements/batched-read.ts';
import type { Figures } from './statistics/figures.ts';
import type { ReadBatches } from './store/read-batches.ts';
import type { UnitBatches } from './store/unit-batches.ts';

/** The database as all other modules see it. */
export interface Database {
  readonly kind: DatabaseKind;
  /** For reads outside a transaction. On SQLite these connections cannot write. */
  readonly reader: Knex;
  /** For reads by key outside a transaction. Concurrent reads are batched. */
  readonly reads: ReadBatches;
  /** For units of work: see `performUnit`. Concurrent ones are written together. */
  readonly units: UnitBatches;
  /** Runs one statement that commits by itself. */
  write<T>(work: (db: Knex) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for a statement that finds every row by a key. Disables table scans in PostgreSQL, which prefers them
   * for a table that it takes to be small, and keeps them in a prepared statement after it has grown.
   */
  byKey<T>(work: (db: Knex) => Promise<T>): Promise<T>;
  /** Runs a transaction. On SQLite concurrent transactions share one commit: see `CommitGroup`. */
  transaction<T>(work: (db: Knex) => Promise<T>): Promise<T>;
  /** Announces committed writes to caches and to the webhook poller. */
  readonly commits: Commits;
  /** Connection pools, for metrics. */
  readonly pools: readonly Knex[];
  /** Number of requests that wait for a connection, or for SQLite's writer. */
  waiting(): number;
  /** Counts of this process that `FigureWriter` has not written yet. */
  readonly figures: Figures;
  close(): Promise<void>;
}
