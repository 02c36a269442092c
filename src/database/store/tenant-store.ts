import type { Knex } from 'knex';
import { ServiceError } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { Written } from '../notices/commits.ts';
import { type BatchedRead, type KeyRecord, readMany } from '../statements/batched-read.ts';
import { insertEvent } from '../statements/insert-event.ts';
import { encode, insertMany, insertMissing } from '../statements/insert-many.ts';
import { selectOne } from '../statements/select-one.ts';
import { type Statement, statementContext } from '../statements/statement.ts';
import type { Counts } from '../statistics/figures.ts';
import type { ColumnOf, Key, NewRow, Patch, PrimaryKey, Row, Table, WithoutKey } from '../tables/index.ts';
import { AfterCommit } from './after-commit.ts';
import { constraintError, notExists } from './constraints.ts';
import { type Changes, type Fragment, fragmentOf } from './fragment.ts';
import { requireKey } from './require-key.ts';

export type Rows<T extends Table> = Knex.QueryBuilder<Row<T>, Row<T>[]>;
export type Query = Knex.QueryBuilder;
/** Adds conditions to a query that is already limited to the tenant. */
export type Condition = (query: Query) => void;

type Transaction = { db: Knex; after: AfterCommit };

/**
 * The only access to a tenant's rows. Built from the request's URL, so there is no tenant argument to forget.
 * `transaction` passes its work a store whose reads and writes all belong to that transaction.
 */
export class TenantStore {
  readonly tenantId: string;
  readonly kind: Database['kind'];
  readonly #database: Database;
  readonly #transaction: Transaction | undefined;

  constructor(database: Database, tenantId: string, transaction?: Transaction) {
    this.#database = database;
    this.tenantId = tenantId;
    this.kind = database.kind;
    this.#transaction = transaction;
  }

  /** Query of a table. Reads a derived table, so that not even `orWhere` can return rows of other tenants. */
  from<T extends Table>(table: T): Rows<T> {
    return this.#reader.from(this.rows(table)) as unknown as Rows<T>;
  }

  /** The same derived table, to join with. */
  rows<T extends Table>(table: T): Knex.QueryBuilder {
    return this.#reader(table).where({ tenantId: this.tenantId }).as(table);
  }

  /** Query of the rows whose ids another query finds. A cross join, because SQLite then reads the ids first. */
  byIds<T extends Table>(table: T, ids: Query): Rows<T> {
    const found = this.#reader.from(ids.as('page')).crossJoin(this.rows(table) as never);
    return found.where('page.id', this.fragment('??', [`${table}.id`])).select(`${table}.*`) as unknown as Rows<T>;
  }

  /** An SQL expression to use in a query, with Knex bindings. */
  fragment(sql: string, bindings: readonly unknown[] = []): Fragment {
    return fragmentOf(this.#reader, sql, bindings);
  }

  /** Counts the rows of several queries in one statement. */
  async countEach<Name extends string>(queries: Record<Name, Query>): Promise<Record<Name, number>> {
    const counts = Object.keys(queries).map((name) => `(select count(*) from (?) as ${name}) as ${name}`);
    const rows: unknown = await this.#reader.raw(`select ${counts.join(', ')}`, Object.values<Query>(queries));
    return (rows as [Record<Name, number>])[0];
  }

  /** Limits the time of each further statement of this transaction. PostgreSQL only. */
  async limitStatements(ms: number): Promise<void> {
    await this.#reader.raw(`set local statement_timeout = ${ms}`);
  }

  async find<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<Row<T> | undefined> {
    const { read, record } = selectOne<Row<T>>(table, this.#match(table, key));
    return this.#readOne(read, record);
  }

  /** @throws 404 `entity.not_exists_with_id`, for users `entity.not_found` */
  async get<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<Row<T>> {
    const row = await this.find(table, key);
    if (!row) throw new ServiceError(table === 'users' ? 'entity.not_found' : 'entity.not_exists_with_id');
    return row;
  }

  /**
   * Reads a row and locks it until this transaction ends. On SQLite the single writer already guarantees that.
   *
   * @throws 404 `entity.not_exists`, for users `entity.not_found`
   */
  async lock<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<Row<T>> {
    const row = (await this.#reader(table).where(this.#match(table, key)).forUpdate().first()) as Row<T> | undefined;
    if (!row) throw notExists(table);
    return row;
  }

  /** Runs a read of `statements/` for this tenant. */
  readOne<R>(read: BatchedRead<R>, key: KeyRecord): Promise<R | undefined> {
    return this.#readOne(read, { ...key, tenant_id: this.tenantId });
  }

  /** Runs a statement of `statements/` that changes rows of these tables, atomically. */
  write<Result>(tables: readonly Table[], statement: Statement<Result>): Promise<Result> {
    return this.#write(tables, (db) => statement(statementContext(db, this.kind, this.tenantId)));
  }

  /** @throws the error of the violated constraint: see `constraints.ts` */
  async insert<T extends Table>(table: T, row: NewRow<T>): Promise<Row<T>> {
    const own = this.#own(encode(row));
    const [inserted]: Row<T>[] = await this.#write(table, (db) => db(table).insert(own).returning('*'));
    return inserted as Row<T>;
  }

  /** Inserts rows without returning them. */
  async add<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<void> {
    if (rows.length === 0) return;
    const own = rows.map((row) => this.#own(row));
    await this.#write(table, (db) => insertMany(db, this.kind, table, own));
  }

  /** Inserts an event, and a delivery for each webhook that subscribes to it. */
  async addEvent(event: NewRow<'events'>): Promise<void> {
    await this.transaction(async (store) => {
      const own = { ...event, tenantId: this.tenantId };
      const count = await store.#write('events', (db) => insertEvent[this.kind](db, own));
      if (count > 0) store.#transaction?.after.wrote(this.tenantId, 'deliveries');
    });
  }

  /** Inserts the rows that do not exist yet and returns them. A violated foreign key still throws. */
  async addMissing<T extends Table>(table: T, rows: readonly NewRow<T>[]): Promise<Row<T>[]> {
    if (rows.length === 0) return [];
    const own = rows.map((row) => this.#own(row));
    return this.#write(table, (db) => insertMissing<Row<T>>(db, this.kind, table, own));
  }

  /** Inserts or updates the row with this primary key. */
  async put<T extends Table>(table: T, key: PrimaryKey<T>, fields: WithoutKey<T>): Promise<void> {
    const own = this.#own(encode({ ...fields, ...key }));
    const columns = ['tenantId', ...Object.keys(key)];
    await this.#write(table, (db) => db(table).insert(own).onConflict(columns).merge());
  }

  /**
   * @throws 404 `entity.not_exists`, for users `entity.not_found`
   * @throws 422 `entity.invalid_input` when the patch is empty
   */
  async update<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>, patch: Patch<T>): Promise<Row<T>> {
    const encoded = encode(patch);
    if (Object.keys(encoded).length === 0) {
      throw (await this.find(table, key)) ? new ServiceError('entity.invalid_input') : notExists(table);
    }
    const [match, own] = [this.#match(table, key), this.#own(encoded)];
    const [row]: Row<T>[] = await this.#write(table, (db) => db(table).where(match).update(own).returning('*'));
    if (!row) throw notExists(table);
    return row;
  }

  /** Updates the matching rows and returns their number. As compare-and-set it makes things happen only once. */
  async change<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>, patch: Patch<T>): Promise<number> {
    requireKey(table, key);
    return this.changeWhere(table, (query) => query.where(key), patch);
  }

  /** Like `change`, with any condition. It is added to the tenant's. */
  async changeWhere<T extends Table>(table: T, condition: Condition, changes: Changes<T>): Promise<number> {
    const own = this.#own(encode(changes));
    return this.#write(table, (db) => db(table).where(this.#own({})).andWhere(condition).update(own));
  }

  /** @throws 404 `entity.not_found` */
  async remove<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<void> {
    if ((await this.removeAll(table, key)) === 0) throw new ServiceError('entity.not_found');
  }

  /** Deletes the matching rows and returns their number. */
  async removeAll<T extends Table, C extends ColumnOf<T>>(table: T, key: Key<T, C>): Promise<number> {
    const match = this.#match(table, key);
    return this.#write(table, (db) => db(table).where(match).delete());
  }

  async removeWhere<T extends Table>(table: T, condition: Condition): Promise<number> {
    return this.#write(table, (db) => db(table).where(this.#own({})).andWhere(condition).delete());
  }

  /** Runs `work` in a transaction. Inside a transaction, uses that one. */
  async transaction<T>(work: (store: TenantStore) => Promise<T>): Promise<T> {
    if (this.#transaction) return work(this);
    let after = new AfterCommit();
    const result = await this.#database.transaction((db) => {
      after = new AfterCommit(); // The database may roll back and repeat `work`; only the last run is announced.
      return work(new TenantStore(this.#database, this.tenantId, { db, after }));
    });
    after.announce(this.#database);
    return result;
  }

  /** Another kind of store for the same tenant; undefined inside a transaction. */
  derive<S>(Store: new (database: Database, tenantId: string) => S): S | undefined {
    return this.#transaction ? undefined : new Store(this.#database, this.tenantId);
  }

  /** Counts figures for the overview, in memory. Inside a transaction, once it has committed. */
  count(at: number, counts: Counts): void {
    if (this.#transaction) this.#transaction.after.count(this.tenantId, at, counts);
    else this.#database.figures.add(this.tenantId, at, counts);
  }

  /** Access to all tenants in this transaction. The architecture test allows it only in `tenants.ts` and `admin/`. */
  acrossTenants(): { db: Knex; storeOf(tenantId: string): TenantStore } {
    this.#transaction?.after.wrote(this.tenantId, 'tenants');
    const storeOf = (tenantId: string) => new TenantStore(this.#database, tenantId, this.#transaction);
    return { db: this.#reader, storeOf };
  }

  get #reader(): Knex {
    return this.#transaction?.db ?? this.#database.reader;
  }

  async #readOne<R>(read: BatchedRead<R>, key: KeyRecord): Promise<R | undefined> {
    if (!this.#transaction) return this.#database.reads.load(read, key);
    return (await readMany(this.#transaction.db, this.kind, read, [key]))[0];
  }

  #match(table: Table, key: object): Record<string, unknown> {
    requireKey(table, key);
    return this.#own(key);
  }

  /** Sets the tenant last, so that no key can replace it. */
  #own(key: object): Record<string, unknown> {
    return { ...key, tenantId: this.tenantId };
  }

  async #write<R>(tables: Written | readonly Written[], work: (db: Knex) => PromiseLike<R>): Promise<R> {
    const written = [tables].flat();
    try {
      if (this.#transaction) {
        for (const table of written) this.#transaction.after.wrote(this.tenantId, table);
        return await work(this.#transaction.db);
      }
      const result = await this.#database.write(async (db) => work(db));
      this.#database.commits.announce(this.tenantId, new Set(written));
      return result;
    } catch (error) {
      throw constraintError(written[0] as Written, error) ?? error;
    }
  }
}
