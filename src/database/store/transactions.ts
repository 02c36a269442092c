import { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import makeKnex from 'knex/lib/knex-builder/make-knex.js';

/** Knex's own mark on a connection: its pool takes it for broken, and gives it to nobody. */
interface Connection {
  __knex__disposed?: unknown;
}

/**
 * What a transaction's work is given. Once it has ended, a statement that somebody forgot to wait for throws: on a
 * connection that is used again it would become part of another's transaction.
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
 * Transactions on a pool of PostgreSQL, each connection with a Knex that stays. The loser is Knex's own: it makes a
 * whole Knex for every transaction, at more of the processor's time than the statements in it.
 */
export class Transactions {
  readonly #pool: Knex;
  readonly #bound = new WeakMap<Connection, Knex>();

  constructor(pool: Knex) {
    this.#pool = pool;
  }

  async run<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    const { client } = this.#pool;
    const connection: Connection = await client.acquireConnection();
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

  #boundTo(connection: Connection): Knex {
    const known = this.#bound.get(connection);
    if (known) return known;
    const { client } = this.#pool;
    const own = Object.assign(Object.create(client), {
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
    });
    EventEmitter.call(own); // Listeners of its own, or Knex adds some to the pool for every connection.
    for (const event of ['query', 'query-error', 'query-response'])
      own.on(event, (...facts: unknown[]) => client.emit(event, ...facts));
    const db = Object.assign(makeKnex(own), { isTransaction: true });
    this.#bound.set(connection, db);
    return db;
  }
}
