import type { Knex } from 'knex';
import type { Commits } from './notices/commits.ts';
import type { DatabaseKind } from './statements/batched-read.ts';
import type { Figures } from './statistics/figures.ts';
import type { ReadBatches } from './store/read-batches.ts';

/** What every part that touches rows is given: one way to read, one way to write. */
export interface Database {
  readonly kind: DatabaseKind;
  /** For reads outside a transaction. On SQLite these connections cannot write. */
  readonly reader: Knex;
  /** For reads by key outside a transaction: what is asked for at the same time is read together. */
  readonly reads: ReadBatches;
  /** One statement that commits by itself. */
  write<T>(work: (db: Knex) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for a statement that finds every row by a key. PostgreSQL then never reads a table whole, which it
   * otherwise prefers while it believes the table small, and keeps to in a prepared statement long after it has grown.
   */
  byKey<T>(work: (db: Knex) => Promise<T>): Promise<T>;
  /** All or nothing. On SQLite concurrent transactions share one commit: see `CommitGroup`. */
  transaction<T>(work: (db: Knex) => Promise<T>): Promise<T>;
  /** Who wants to know of committed writes: caches, and the poller of webhooks. */
  readonly commits: Commits;
  /** Its connections, for those who measure them. */
  readonly pools: readonly Knex[];
  /** How many wait for a connection, or for SQLite's writer. */
  waiting(): number;
  /** What this process counted and `FigureWriter` has not written yet. */
  readonly figures: Figures;
  close(): Promise<void>;
}
