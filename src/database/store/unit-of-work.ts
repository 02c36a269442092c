import type { Database } from '../database.ts';
import type { BatchedRead, KeyRecord } from '../statements/batched-read.ts';
import type { Change, FullRow } from '../statements/changes.ts';
import type { Counts } from '../statistics/figures.ts';
import {
  type ColumnOf,
  initialRow,
  type Key,
  keyIn,
  keyOf,
  type NewRow,
  type Patch,
  type PrimaryKey,
  type Row,
  type Table,
  type WithoutKey,
} from '../tables/index.ts';
import { AfterCommit } from './after-commit.ts';
import { notExists } from './constraints.ts';
import { requireKey } from './require-key.ts';
import { type Query, type Rows, TenantStore } from './tenant-store.ts';

/** The columns to write. Only the store sets the tenant. */
const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== undefined && name !== 'tenantId'));
const nameOf = (table: Table, row: object): string => JSON.stringify([table, keyIn(table, row)]);

/** The result of a call is not known before the gathered writes are sent. */
class NeedsTransaction extends Error {}

const LOCKS = ['forUpdate', 'forNoKeyUpdate', 'forShare', 'forKeyShare'] as const;

/**
 * A store that gathers writes and sends them at the end, in one statement. It reads as usual, outside a transaction.
 * Each write returns its result, computed from the rows that were read. The statement checks that they are still the same.
 *
 * A call whose result the gathered writes or other transactions decide throws `NeedsTransaction`: a read of a table
 * that was written, a lock on a row that is not changed, a write of rows that are not found by their primary key, or
 * work that asks for a transaction.
 */
export class UnitOfWork extends TenantStore {
  readonly #database: Database;
  readonly #after = new AfterCommit();
  readonly #changes: Change[] = [];
  readonly #written = new Set<Table>();
  /** The rows that were read, by primary key. A change refers to the row as it was first read. */
  readonly #found = new Map<string, unknown>();
  /** Locked rows that have not been changed yet. */
  readonly #locked = new Set<string>();
  #needsTransaction = false;

  constructor(database: Database, tenantId: string) {
    super(database, tenantId);
    this.#database = database;
  }

  /** True if a call threw `NeedsTransaction`, even if the error was caught, or a locked row was not changed. */
  get needsTransaction(): boolean {
    return this.#needsTransaction || this.#locked.size > 0;
  }

  /** @returns false if nothing was written, because a row that was read has changed or a constraint is violated */
  async commit(): Promise<boolean> {
    if (this.#changes.length > 0) {
      const result = await this.#database.units.write(this.tenantId, this.#changes);
      if (!result.isWritten) return false;
      if (result.notified.has(this.tenantId)) this.#after.wrote(this.tenantId, 'deliveries');
    }
    this.#after.announce(this.#database);
    return true;
  }

  override from<T extends Table>(table: T): Rows<T> {
    const query: Query = super.from(table);
    const run = query.then.bind(query);
    const runIfUnwritten: Query['then'] = (...handlers) => {
      this.#requireUnwritten(table); // Again: the query may run later than it was built.
      return run(...handlers);
    };
    Object.assign(query, { ['then' as string]: runIfUnwritten });
    for (const lock of LOCKS) query[lock] = () => this.#fail();
    return query as unknown as Rows<T>;
  }

  override rows<T extends Table>(table: T): Query {
    this.#requireUnwritten(table);
    return super.rows(table);
  }

  override async find<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<Row<T> | undefined> {
    this.#requireUnwritten(table);
    const row = await super.find(table, key);
    const name = row && nameOf(table, row);
    if (name && !this.#found.has(name)) this.#found.set(name, row);
    return row;
  }

  override async readOne<R>(read: BatchedRead<R>, key: KeyRecord): Promise<R | undefined> {
    if (this.#written.size > 0) this.#fail();
    return super.readOne(read, key);
  }

  override async lock<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<Row<T>> {
    const row = await this.find(table, key);
    if (!row) throw notExists(table);
    this.#locked.add(nameOf(table, row));
    return row;
  }

  override async insert<T extends Table>(table: T, row: NewRow<T>): Promise<Row<T>> {
    const [inserted] = this.#insert(table, [row]);
    return inserted as Row<T>;
  }

  override async add<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    this.#insert(table, rows);
  }

  override async addMissing<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<Row<T>[]> {
    const found = await Promise.all(rows.map((row) => this.find(table, keyIn(table, row) as Key<T, ColumnOf<T>>)));
    return this.#insert(
      table,
      rows.filter((_, index) => !found[index]),
    );
  }

  override async addEvent(event: NewRow<'events'>): Promise<void> {
    const row = { ...event, tenantId: this.tenantId };
    const events = this.#changes.find((change) => change.kind === 'event');
    if (events) events.rows.push(row);
    else this.#gather('events', { kind: 'event', rows: [row] });
  }

  override async update<T extends Table, C extends ColumnOf<T>>(
    table: T,
    key: Key<T, C>,
    patch: Patch<T>,
  ): Promise<Row<T>> {
    const fields = defined(patch);
    if (Object.keys(fields).length === 0) return super.update(table, key, {}); // Throws.
    const was = await this.#read(table, key);
    if (!was) throw notExists(table);
    return this.#update(table, was, fields);
  }

  override async change<T extends Table, C extends ColumnOf<T>>(
    table: T,
    key: Key<T, C>,
    patch: Patch<T>,
  ): Promise<number> {
    const was = await this.#read(table, key);
    if (was) this.#update(table, was, defined(patch));
    return was ? 1 : 0;
  }

  override async removeAll<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<number> {
    const was = await this.#read(table, key);
    if (!was) return 0;
    this.#locked.delete(nameOf(table, was));
    this.#gather(table, { kind: 'delete', table, rows: [{ was }] });
    return 1;
  }

  override async transaction(): Promise<never> {
    return this.#fail();
  }

  override count(at: number, counts: Counts): void {
    this.#after.count(this.tenantId, at, counts);
  }

  override async put<T extends Table>(table: T, key: PrimaryKey<T>, fields: WithoutKey<T>): Promise<void> {
    const was = await this.#read(table, key as Key<T, ColumnOf<T>>);
    if (was) this.#update(table, was, defined(fields));
    else this.#insert(table, [{ ...fields, ...key }]);
  }

  override async changeWhere(): Promise<never> {
    return this.#fail();
  }

  override async removeWhere(): Promise<never> {
    return this.#fail();
  }

  override async write(): Promise<never> {
    return this.#fail();
  }

  override async limitStatements(): Promise<never> {
    return this.#fail();
  }

  override acrossTenants(): never {
    return this.#fail();
  }

  #fail(): never {
    this.#needsTransaction = true;
    throw new NeedsTransaction();
  }

  #requireUnwritten(table: Table): void {
    if (this.#written.has(table)) this.#fail();
  }

  async #read<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<Row<T> | undefined> {
    requireKey(table, key);
    if (keyOf(table).some((name) => !(name in key))) this.#fail();
    this.#requireUnwritten(table);
    const row = this.#found.get(nameOf(table, key)) as Row<T> | undefined;
    return row && Object.entries(key).every(([column, value]) => row[column as C] === value)
      ? row
      : this.find(table, key);
  }

  #insert<T extends Table>(table: T, rows: readonly object[]): Row<T>[] {
    const full = rows.map((row) => ({ ...initialRow(table), ...defined(row), tenantId: this.tenantId }));
    if (full.length > 0) this.#gather(table, { kind: 'insert', table, rows: full });
    return full as unknown as Row<T>[];
  }

  #update<T extends Table>(table: T, was: Row<T>, patch: FullRow): Row<T> {
    this.#locked.delete(nameOf(table, was));
    this.#gather(table, { kind: 'update', table, columns: Object.keys(patch).sort(), rows: [{ was, patch }] });
    return { ...was, ...patch };
  }

  #gather(table: Table, change: Change): void {
    this.#written.add(table);
    this.#after.wrote(this.tenantId, table);
    this.#changes.push(change);
  }
}

/**
 * Runs `work` and then sends its writes in one statement, together with those of other callers. If that cannot be, or a
 * row has changed since it was read, or a constraint is violated, runs `work` again in a transaction, which decides.
 */
export async function performUnit<T>(store: TenantStore, work: (store: TenantStore) => Promise<T>): Promise<T> {
  const unit = store.derive(UnitOfWork);
  if (!unit) return work(store);
  try {
    const result = await work(unit);
    if (!unit.needsTransaction && (await unit.commit())) return result;
  } catch (error) {
    if (!unit.needsTransaction) throw error;
  }
  return store.transaction(work);
}
