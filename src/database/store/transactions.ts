import { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import makeKnex from 'knex/lib/knex-builder/make-knex.js';

/** Knex's own mark for a broken connection, which its pool then discards. */
interface PooledConnection {
  __knex__disposed?: unknown;
}

/**
 * Runs `work` with a handle that is revoked when it ends. A statement that was not awaited then throws, instead of
 * becoming part of the next transaction on the same connection.
 */
export async function revoked<T>(db: Knex, work: (db: Knex) => Promise<T>): Promise<T> {
  const { proxy, revoke } = Proxy.revocable(db, {});
  try {
    return await work(proxy);
  } finally {
    revoke();
  }
}

/**
 * Transactions on a PostgreSQL pool, with one Knex instance per connection. Rejected: Knex's own transactions, which
 * create a Knex instance each and use more CPU time than the statements in them.
 */
export class Transactions {
  readonly #pool: Knex;
  readonly #bound = new WeakMap<PooledConnection, Knex>();

  constructor(pool: Knex) {
    this.#pool = pool;
  }

  async run<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    const { client } = this.#pool;
    const connection: PooledConnection = await client.acquireConnection();
    const db = this.#boundTo(connection);
    try {
      await db.raw('begin');
      const result = await revoked(db, work);
      await db.raw('commit');
      return result;
    } catch (error) {
      await db.raw('rollback').catch((reason: unknown) => {
        connection.__knex__disposed ??= reason;
      });
      throw error;
    } finally {
      client.releaseConnection(connection);
    }
  }

  #boundTo(connection: PooledConnection): Knex {
    const existing = this.#bound.get(connection);
    if (existing) return existing;
    const { client } = this.#pool;
    const own = Object.assign(Object.create(client), {
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
    });
    EventEmitter.call(own); // Its own listeners; otherwise Knex adds some to the pool for each connection.
    for (const event of ['query', 'query-error', 'query-response'])
      own.on(event, (...args: unknown[]) => client.emit(event, ...args));
    const db = Object.assign(makeKnex(own), { isTransaction: true });
    this.#bound.set(connection, db);
    return db;
  }
}
