import type { Knex } from 'knex';
import { revoked } from './transactions.ts';

interface Job {
  work: (db: Knex) => Promise<unknown>;
  /** True if the work is a single statement, which is atomic without a transaction or savepoint. */
  isOneStatement: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Maximum size of a group, so that the first one does not wait long for the last. */
const MAX_GROUP = 64;

/**
 * Runs transactions on SQLite's single writer, one after another, with one commit for all that are waiting. The fsync
 * of a commit is what costs time, not the statements, so sixteen concurrent writers share the cost of one.
 *
 * Each transaction runs in its own savepoint (unless it is alone, or a single statement), so a failure rolls back only
 * that one. Callers get their result only after the commit, so a confirmed change is on disk.
 *
 * Rejected: a commit per transaction, which costs an fsync each. Rejected: Knex's own transaction objects, which cost
 * more than the statements in them and are not needed with a pool of one connection.
 */
export class CommitGroup {
  readonly #writer: Knex;
  readonly #onCommit: ((transactions: number) => void) | undefined;
  readonly #waiting: Job[] = [];
  #draining = false;

  constructor(writer: Knex, onCommit?: (transactions: number) => void) {
    this.#writer = writer;
    this.#onCommit = onCommit;
  }

  /** Number of transactions that wait for the next group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param isOneStatement if it is alone, it commits by itself, which saves two calls into SQLite */
  run<T>(work: (db: Knex) => Promise<T>, isOneStatement = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, isOneStatement, resolve: resolve as Job['resolve'], reject });
      if (!this.#draining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#waiting.length > 0) await this.#commitNext();
    this.#draining = false;
  }

  /** Runs the next group. Never throws: a failure rejects the transactions it affects. */
  async #commitNext(): Promise<void> {
    const group = this.#waiting.splice(0, MAX_GROUP);
    const tell: (() => void)[] = [];
    if (group.length === 1 && group[0]?.isOneStatement) return this.#runStatement(group[0]);
    try {
      await this.#writer.raw('begin immediate');
      for (const job of group) tell.push(await (group.length === 1 ? this.#runAlone(job) : this.#runAmongOthers(job)));
      await this.#writer.raw('commit');
    } catch (error) {
      // Nothing of this group is on disk. The rollback fails if SQLite already rolled back, or the database is gone.
      await this.#writer.raw('rollback').catch(() => {});
      for (const { reject } of group) reject(error);
      return;
    }
    for (const inform of tell) inform();
    this.#onCommit?.(group.length);
  }

  async #runStatement({ work, resolve, reject }: Job): Promise<void> {
    try {
      resolve(await work(this.#writer));
      this.#onCommit?.(1);
    } catch (error) {
      reject(error);
    }
  }

  async #runAlone({ work, resolve }: Job): Promise<() => void> {
    const value = await revoked(this.#writer, work);
    return () => resolve(value);
  }

  async #runStatementAmongOthers({ work, resolve, reject }: Job): Promise<() => void> {
    try {
      const value = await work(this.#writer);
      return () => resolve(value);
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction. Detected by `begin` succeeding; the error then fails
      // all.
      const isUndone = await this.#writer.raw('begin').then(
        () => true,
        () => false,
      );
      if (isUndone) throw error;
      return () => reject(error);
    }
  }

  async #runAmongOthers(job: Job): Promise<() => void> {
    if (job.isOneStatement) return this.#runStatementAmongOthers(job);
    const { work, resolve, reject } = job;
    await this.#writer.raw('savepoint job');
    try {
      const value = await revoked(this.#writer, work);
      await this.#writer.raw('release job');
      return () => resolve(value);
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction including the savepoint. The error then fails all.
      await this.#writer.raw('rollback to job').catch(() => Promise.reject(error));
      await this.#writer.raw('release job');
      return () => reject(error);
    }
  }
}
