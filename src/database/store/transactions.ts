import type { Knex } from 'knex';
import { acquire, knexOn, release } from '../drivers/knex-connections.ts';

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

/** The Knex instance of each connection. Creating one costs more than the statements of a transaction. */
const instances = new WeakMap<object, Knex>();

function instanceFor(connection: object, pool: Knex): Knex {
  const db = instances.get(connection) ?? knexOn(connection, pool);
  instances.set(connection, db);
  return db;
}

/** Runs a transaction on a connection of this PostgreSQL pool. */
export async function runTransaction<T>(pool: Knex, work: (db: Knex) => Promise<T>): Promise<T> {
  const connection = await acquire(pool);
  const db = instanceFor(connection, pool);
  let isBroken = false;
  try {
    await db.raw('begin');
    const result = await revoked(db, work);
    await db.raw('commit');
    return result;
  } catch (error) {
    await db.raw('rollback').catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    release(pool, connection, { isBroken });
  }
}
