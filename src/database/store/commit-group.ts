import type { Knex } from 'knex';
import { revoked } from './transactions.ts';

interface Job {
  work: (db: Knex) => Promise<unknown>;
  /** Done whole or not at all, without more around it. */
  isOneStatement: boolean;
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
 * Each job runs in a savepoint of its own, unless it is alone or one statement: one that fails is rolled back alone.
 * Nobody is told of success before the commit, so an answered change is on disk.
 *
 * The losers: a transaction each holds the writer for an fsync per job; Knex's own transaction
 * objects cost more than the statements in them, and the pool of one connection needs none.
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

  /** How many wait for the group after this one. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param isOneStatement it commits by itself when nobody else waits: two calls into SQLite fewer */
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

  /** Never throws: a failure is told to the jobs it concerns. */
  async #commitNext(): Promise<void> {
    const group = this.#waiting.splice(0, MAX_GROUP);
    const tell: (() => void)[] = [];
    if (group.length === 1 && group[0]?.isOneStatement) return this.#runStatement(group[0]);
    try {
      await this.#writer.raw('begin immediate');
      for (const job of group) tell.push(await (group.length === 1 ? this.#runAlone(job) : this.#runAmongOthers(job)));
      await this.#writer.raw('commit');
    } catch (error) {
      // Nothing of this group is on disk. The rollback fails when there is nothing to roll back, or no database.
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
      // A full disk undoes the whole transaction: then another can begin, and the error is the reason for all.
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
      // A full disk undoes the whole transaction, and with it the savepoint: then it is the reason for all.
      await this.#writer.raw('rollback to job').catch(() => Promise.reject(error));
      await this.#writer.raw('release job');
      return () => reject(error);
    }
  }
}
