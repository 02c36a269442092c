import type { Knex } from 'knex';
import { unavailable } from '../drivers/unavailable.ts';
import type { DatabaseKind } from '../statements/batched-read.ts';
import { type Change, shapeOf, unitStatement } from '../statements/changes.ts';
import { WriteQueue } from './write-queue.ts';

type Unit = readonly Change[];

/** `notified`: the tenants that got deliveries, of this unit or of one that was written with it. */
export type UnitResult = { isWritten: false } | { isWritten: true; notified: ReadonlySet<string> };

/**
 * Writes units of work. Those of the same shape, of all tenants, that are ready at about the same time are written in
 * one statement. The counterpart of `ReadBatches`.
 */
export class UnitBatches {
  readonly #kind: DatabaseKind;
  readonly #write: <T>(work: (db: Knex) => Promise<T>) => Promise<T>;
  readonly #queues = new Map<string, WriteQueue<Unit, UnitResult>>();

  /** @param write runs one statement, which commits by itself or with others */
  constructor(kind: DatabaseKind, write: <T>(work: (db: Knex) => Promise<T>) => Promise<T>) {
    this.#kind = kind;
    this.#write = write;
  }

  /**
   * @returns not written if a row is not as it was read, a constraint is violated, or there are too many shapes
   * @throws if the database is unavailable
   */
  async write(unit: Unit): Promise<UnitResult> {
    const queue = this.#queueOf(unit);
    if (!queue) return { isWritten: false };
    try {
      return await queue.add(unit);
    } catch (error) {
      if (unavailable(error)) throw error;
      return { isWritten: false };
    }
  }

  #queueOf(unit: Unit): WriteQueue<Unit, UnitResult> | undefined {
    const shape = shapeOf(unit);
    const known = this.#queues.get(shape);
    const statement = known ? undefined : unitStatement(this.#kind, shape, unit);
    if (!statement) return known;
    const queue = new WriteQueue<Unit, UnitResult>({
      write: async (units) => {
        const { notified } = await this.#write((db) => statement(db, units));
        return units.map(() => ({ isWritten: true, notified }));
      },
    });
    this.#queues.set(shape, queue);
    return queue;
  }
}
