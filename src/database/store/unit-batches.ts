import type { Knex } from 'knex';
import { unavailable } from '../drivers/unavailable.ts';
import type { DatabaseKind } from '../statements/batched-read.ts';
import { type Change, shapeOf, type UnitStatement, unitStatement } from '../statements/changes.ts';

/** Whether a unit was written, and whether a tenant got deliveries. */
export type UnitResult = { isWritten: false } | { isWritten: true; notified: ReadonlySet<string> };

interface WaitingUnit {
  changes: readonly Change[];
  resolve: (result: UnitResult) => void;
  reject: (error: unknown) => void;
}

/** The waiting units of one shape. */
interface Queue {
  statement: UnitStatement;
  waiting: WaitingUnit[];
  isWriting: boolean;
}

/** Most units of one statement. */
const MAX_BATCH = 64;

/**
 * Writes units of work, those of the same shape that wait at the same time in one statement. A unit that arrives alone
 * does not wait. The counterpart of `ReadBatches`.
 *
 * A statement that fails writes nothing. Then each unit is tried by itself, so that no unit fails for another's reason.
 */
export class UnitBatches {
  readonly #kind: DatabaseKind;
  readonly #write: <T>(work: (db: Knex) => Promise<T>) => Promise<T>;
  readonly #queues = new Map<string, Queue>();

  /** @param write runs one statement, which commits by itself or with others */
  constructor(kind: DatabaseKind, write: <T>(work: (db: Knex) => Promise<T>) => Promise<T>) {
    this.#kind = kind;
    this.#write = write;
  }

  /** @returns not written if a row is not as it was read, a constraint was violated, or the shape is one too many */
  write(changes: readonly Change[]): Promise<UnitResult> {
    const shape = shapeOf(changes);
    let queue = this.#queues.get(shape);
    if (!queue) {
      const statement = unitStatement(this.#kind, shape, changes);
      if (!statement) return Promise.resolve({ isWritten: false });
      queue = { statement, waiting: [], isWriting: false };
      this.#queues.set(shape, queue);
    }
    const { promise, resolve, reject } = Promise.withResolvers<UnitResult>();
    queue.waiting.push({ changes, resolve, reject });
    if (!queue.isWriting) void this.#drain(queue);
    return promise;
  }

  async #drain(queue: Queue): Promise<void> {
    queue.isWriting = true;
    while (queue.waiting.length > 0) await this.#writeNext(queue);
    queue.isWriting = false;
  }

  /** Never throws. Takes the units only when the statement starts, so that those that arrive until then join it. */
  async #writeNext({ statement, waiting }: Queue): Promise<void> {
    let units: WaitingUnit[] = [];
    try {
      const results = await this.#write((db) => {
        units = units.length > 0 ? units : waiting.splice(0, MAX_BATCH);
        return resultsOf(statement, db, units);
      });
      for (const [index, { resolve }] of units.entries()) resolve(results[index] as UnitResult);
    } catch (error) {
      if (units.length === 0) units = waiting.splice(0);
      for (const { reject } of units) reject(error);
    }
  }
}

/** @throws if the database is unavailable */
async function resultsOf(statement: UnitStatement, db: Knex, units: readonly WaitingUnit[]): Promise<UnitResult[]> {
  try {
    const { notified } = await statement(
      db,
      units.map(({ changes }) => changes),
    );
    return units.map(() => ({ isWritten: true, notified }));
  } catch (error) {
    if (unavailable(error)) throw error;
    if (units.length === 1) return [{ isWritten: false }];
    const results: UnitResult[] = [];
    for (const unit of units) results.push(...(await resultsOf(statement, db, [unit])));
    return results;
  }
}
