import type { Knex } from 'knex';

interface Job {
  work: (db: Knex) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A group is closed after this many, so that the first of them does not wait long for the last. */
const MAX_GROUP = 64;

/**
 * Transactions on SQLite's single writer, one after another, with one commit for all that were
 * waiting. What costs is the fsync of a commit, not the statements, so sixteen concurrent writers
 * pay for one.
 *
 * Each job runs in a savepoint of its own: one that fails is rolled back alone. Nobody is told of
 * success before the commit, so an answered change is on disk.
 *
 * The loser: a transaction each. It holds the writer for an fsync per job.
 */
export class CommitGroup {
  readonly #writer: Knex;
  readonly #waiting: Job[] = [];
  #draining = false;

  constructor(writer: Knex) {
    this.#writer = writer;
  }

  run<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Job['resolve'], reject });
      if (!this.#draining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#waiting.length > 0) await this.#commitNext();
    this.#draining = false;
  }

  /** Never throws: a failure is told to the jobs it concerns. */
  async #commitNext(): Promise<void> {
    const tell: (() => void)[] = [];
    const done: Job[] = [];
    try {
      await this.#writer.transaction(async (transaction) => {
        while (this.#waiting.length > 0 && done.length < MAX_GROUP) {
          const job = this.#waiting.shift() as Job;
          done.push(job);
          try {
            const value = await transaction.transaction(job.work);
            tell.push(() => job.resolve(value));
          } catch (error) {
            tell.push(() => job.reject(error));
          }
        }
      });
    } catch (error) {
      // Begin or commit failed: nothing of this group is on disk.
      if (done.length === 0) done.push(...this.#waiting.splice(0));
      for (const job of done) job.reject(error);
      return;
    }
    for (const inform of tell) inform();
  }
}
