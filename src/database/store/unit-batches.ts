import type { Knex } from 'knex';
import { errorClassOf } from '../drivers/unavailable.ts';
import type { DatabaseKind } from '../statements/batched-read.ts';
import { type Change, isWide, shapeOf, type UnitStatement, unitStatement, widened } from '../statements/changes.ts';
import { WriteQueue } from './write-queue.ts';

type Unit = readonly Change[];

/** `notified`: the tenants that got deliveries, of this unit or of one that was written with it. */
export type UnitResult = { isWritten: false } | { isWritten: true; notified: ReadonlySet<string> };

type Queues = Map<string, WriteQueue<Unit, UnitResult>>;

const NOT_WRITTEN: UnitResult = { isWritten: false };

/**
 * Most texts, after which no more are made for some columns of a table, but one for all. PostgreSQL keeps 0.4 MB for a
 * text in each connection, and callers choose the columns. Rejected: always all columns, which takes a quarter more
 * processor time.
 */
const MAX_STATEMENTS = 150;

/** How long the units of a tenant are written apart from those of others after one was refused. */
const APART_MS = 10_000;

type Failure = { code?: string };

/** True if the statement waited for a lock longer than it may. */
const isLocked = (error: unknown): boolean => (error as Failure).code === '55P03';

/** True if the database refused the rows: a constraint, or on PostgreSQL a value (class 22, with division by zero). */
const isRefused = (error: unknown): boolean =>
  errorClassOf(error) === 'constraint' || Boolean((error as Failure).code?.startsWith('22'));

/**
 * Writes units of work. Those of the same shape, of all tenants, that are ready at about the same time are written in
 * one statement. The counterpart of `ReadBatches`.
 *
 * A unit that is refused costs the others in its statement more attempts. So a tenant whose unit was refused is written
 * apart for a while. Rejected: always together. Four callers that were always refused slowed the others down 9 times.
 */
export class UnitBatches {
  readonly #kind: DatabaseKind;
  readonly #write: <T>(work: (db: Knex) => Promise<T>) => Promise<T>;
  readonly #statements = new Map<string, UnitStatement>();
  readonly #shared: Queues = new Map();
  readonly #apart = new Map<string, { queues: Queues; until: number }>();

  /** @param write runs one statement, which commits by itself or with others */
  constructor(kind: DatabaseKind, write: <T>(work: (db: Knex) => Promise<T>) => Promise<T>) {
    this.#kind = kind;
    this.#write = write;
  }

  /**
   * @returns not written if a row is not as it was read or is locked, or a constraint is violated
   * @throws other errors, after which the unit may have been written, for example if the connection was lost
   */
  async write(tenantId: string, unit: Unit): Promise<UnitResult> {
    const wide = () => this.#add(tenantId, widened(unit));
    const result = await (this.#add(tenantId, unit) ?? wide() ?? NOT_WRITTEN);
    if (!result.isWritten) this.#keepApart(tenantId);
    return result;
  }

  #keepApart(tenantId: string): void {
    const { queues } = this.#apart.get(tenantId) ?? { queues: new Map() };
    this.#apart.set(tenantId, { queues, until: performance.now() + APART_MS });
  }

  #queuesOf(tenantId: string): Queues {
    const apart = this.#apart.get(tenantId);
    if (apart && apart.until > performance.now()) return apart.queues;
    this.#apart.delete(tenantId);
    return this.#shared;
  }

  #add(tenantId: string, unit: Unit): Promise<UnitResult> | undefined {
    const queues = this.#queuesOf(tenantId);
    const shape = shapeOf(unit);
    const known = queues.get(shape);
    if (known) return known.add(unit);
    const statement = this.#statementOf(shape, unit);
    if (!statement) return undefined;
    const queue = new WriteQueue<Unit, UnitResult>({ write: (units) => this.#send(statement, units) });
    queues.set(shape, queue);
    return queue.add(unit);
  }

  #statementOf(shape: string, unit: Unit): UnitStatement | undefined {
    const known = this.#statements.get(shape);
    if (known || (this.#statements.size >= MAX_STATEMENTS && !isWide(unit))) return known;
    const statement = unitStatement(this.#kind, unit);
    this.#statements.set(shape, statement);
    return statement;
  }

  async #send(statement: UnitStatement, units: readonly Unit[]): Promise<UnitResult[]> {
    try {
      const { notified } = await this.#write((db) => statement(db, units));
      return units.map(() => ({ isWritten: true, notified }));
    } catch (error) {
      // One of the units waits for a lock. Trying each by itself would wait again.
      const isFinal = isLocked(error) || (units.length === 1 && isRefused(error));
      if (!isFinal) throw error;
      return units.map(() => NOT_WRITTEN);
    }
  }
}
