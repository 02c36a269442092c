import type { Knex } from 'knex';
import { StateMachine } from '../../base/state.ts';
import { revoked } from './transactions.ts';

interface QueuedTransaction {
  work: (db: Knex) => Promise<unknown>;
  /** True if the work is a single statement, which is atomic without a transaction or savepoint. */
  isOneStatement: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** The result of one transaction's work. Its caller gets it after the commit of the group. */
type Outcome = { value: unknown } | { error: unknown };

/** Maximum size of a group, so that the first one does not wait long for the last. */
const MAX_GROUP = 64;

/** The states of the writer. See docs/states.md. */
const TRANSITIONS = {
  /** No transaction is queued or running. */
  idle: ['choosing'],
  /** Takes the next group from the queue, or stops if it is empty. */
  choosing: ['running-statement', 'running-group', 'idle'],
  /** A single statement is alone and commits by itself. */
  'running-statement': ['choosing'],
  /** A transaction is open, in which the work of the group runs. */
  'running-group': ['committing', 'rolling-back'],
  committing: ['choosing', 'rolling-back'],
  'rolling-back': ['choosing'],
} as const;

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
  readonly #queue: QueuedTransaction[] = [];
  readonly #state = new StateMachine<keyof typeof TRANSITIONS>('commit group', TRANSITIONS, 'idle');

  constructor(writer: Knex, onCommit?: (transactions: number) => void) {
    this.#writer = writer;
    this.#onCommit = onCommit;
  }

  /** Number of transactions that wait for the next group. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** @param isOneStatement if it is alone, it commits by itself, which saves two calls into SQLite */
  run<T>(work: (db: Knex) => Promise<T>, isOneStatement = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, isOneStatement, resolve: resolve as QueuedTransaction['resolve'], reject });
      if (this.#state.is('idle')) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#state.enter('choosing');
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, MAX_GROUP);
      const [first] = group;
      if (group.length === 1 && first?.isOneStatement) await this.#runStatement(first);
      else await this.#runGroup(group);
      this.#state.enter('choosing');
    }
    this.#state.enter('idle');
  }

  /** Never throws: a failure rejects the transactions it affects. */
  async #runGroup(group: readonly QueuedTransaction[]): Promise<void> {
    this.#state.enter('running-group');
    const outcomes: Outcome[] = [];
    try {
      await this.#writer.raw('begin immediate');
      for (const transaction of group)
        outcomes.push(await (group.length === 1 ? this.#runAlone(transaction) : this.#runAmongOthers(transaction)));
      this.#state.enter('committing');
      await this.#writer.raw('commit');
    } catch (error) {
      this.#state.enter('rolling-back');
      // Nothing of this group is on disk. The rollback fails if SQLite already rolled back, or the database is gone.
      await this.#writer.raw('rollback').catch(() => {});
      for (const { reject } of group) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index] as Outcome;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
    this.#report(group.length);
  }

  /** The transactions are on disk and answered by now, so a listener that throws must not stop the writer. */
  #report(transactions: number): void {
    try {
      this.#onCommit?.(transactions);
    } catch {
      // The listener is for metrics only.
    }
  }

  /** Never throws, like `#runGroup`. */
  async #runStatement({ work, resolve, reject }: QueuedTransaction): Promise<void> {
    this.#state.enter('running-statement');
    try {
      resolve(await work(this.#writer));
      this.#report(1);
    } catch (error) {
      reject(error);
    }
  }

  async #runAlone({ work }: QueuedTransaction): Promise<Outcome> {
    return { value: await revoked(this.#writer, work) };
  }

  async #runStatementAmongOthers({ work }: QueuedTransaction): Promise<Outcome> {
    try {
      return { value: await work(this.#writer) };
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction: `begin` then succeeds, and the error fails the group.
      const isUndone = await this.#writer.raw('begin').then(
        () => true,
        () => false,
      );
      if (isUndone) throw error;
      return { error };
    }
  }

  async #runAmongOthers(transaction: QueuedTransaction): Promise<Outcome> {
    if (transaction.isOneStatement) return this.#runStatementAmongOthers(transaction);
    await this.#writer.raw('savepoint one_of_group');
    try {
      const value = await revoked(this.#writer, transaction.work);
      await this.#writer.raw('release one_of_group');
      return { value };
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction with the savepoint. The error then fails the group.
      await this.#writer.raw('rollback to one_of_group').catch(() => Promise.reject(error));
      await this.#writer.raw('release one_of_group');
      return { error };
    }
  }
}
