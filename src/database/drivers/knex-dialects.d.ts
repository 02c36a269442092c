/** Types for Knex's dialects. Knex documents them as classes to extend, but ships no types for them. */
declare module 'knex/lib/dialects/sqlite3/index.js' {
  import type { Knex } from 'knex';
  export default class SqliteClient extends Knex.Client {
    _query(connection: object, query: object): Promise<object>;
    destroyRawConnection(connection: object): Promise<void>;
  }
}

declare module 'knex/lib/dialects/postgres/index.js' {
  /** Knex's PostgreSQL client. */
  export default class PostgresClient {
    _query(connection: object, query: object): Promise<object>;
  }
}

declare module 'knex/lib/knex-builder/make-knex.js' {
  import type { Knex } from 'knex';
  /** Creates a Knex instance on this client. */
  export default function makeKnex(client: unknown): Knex;
}
