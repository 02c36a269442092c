import knex, { type Knex } from 'knex';

/**
 * All that this service uses of Knex beyond its guide. Knex declares it in its types, but may change it in any release:
 * `test/database/knex.test.ts` then fails.
 *
 * - `client.pool`, tarn's pool: its figures and events are the metrics of connections, and mark errors as the database's.
 * - `client.acquireConnection` and `releaseConnection` lend a connection for a transaction. A Knex instance on that
 *   connection has its own. Rejected: Knex's transactions, which create an instance each and use more CPU time than the
 *   statements in them.
 * - `client.config` is the configuration of that instance.
 */
type Pool = Extract<Knex.Client['pool'], { numFree(): number }>;

export const poolOf = ({ client }: Knex): Pool => client.pool;

export const acquire = ({ client }: Knex): Promise<object> => client.acquireConnection();

const broken = new WeakSet<object>();

/** Returns the connection to its pool, which discards it if it is broken. */
export function release({ client }: Knex, connection: object, { isBroken }: { isBroken: boolean }): void {
  if (isBroken) broken.add(connection);
  client.releaseConnection(connection);
}

/** For the pool: false for a connection that was released as broken. */
export const isUsable = (connection: object): boolean => !broken.has(connection);

/** Returns a Knex instance for one connection, acquired from `pool`. Its events go to the listeners of `pool`. */
export function knexOn(connection: object, pool: Knex): Knex {
  const { connection: _, pool: __, ...config }: Knex.Config = pool.client.config;
  const db = knex(config); // Without the option `connection` it has no pool.
  const lent = Promise.resolve(connection);
  Object.assign(db.client, { acquireConnection: () => lent, releaseConnection() {} });
  for (const event of ['query', 'query-error', 'query-response'])
    db.on(event, (...args: unknown[]) => pool.emit(event, ...args));
  return Object.assign(db, { isTransaction: true });
}
