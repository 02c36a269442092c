/** Knex documents its dialects as the classes to extend, and ships no types for them. */
declare module 'knex/lib/dialects/sqlite3/index.js' {
  import type { Knex } from 'knex';
  export default class SqliteClient extends Knex.Client {
    _query(connection: object, query: object): Promise<object>;
    destroyRawConnection(connection: object): Promise<void>;
  }
}
