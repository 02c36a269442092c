import SqliteClient from 'knex/lib/dialects/sqlite3/index.js';
import { LRUCache } from 'lru-cache';

interface Statement {
  all(bindings: readonly unknown[], done: Callback): void;
  run(bindings: readonly unknown[], done: Callback): void;
  finalize(): void;
}
interface SqliteConnection {
  prepare(sql: string, done: (error: Error | null) => void): Statement;
}
type Callback = (this: { lastID: number; changes: number }, error: Error | null, rows?: unknown[]) => void;

/** Knex's own query object: its input, and where Knex expects the result. */
interface KnexQuery {
  sql: string;
  bindings?: readonly unknown[];
  method?: string;
  returning?: unknown;
  response?: unknown;
  context?: unknown;
}

/** Prepared statements per connection: more than the code has, except for lists of varying length. */
const MAX_STATEMENTS = 256;

const isRun = ({ method, returning }: KnexQuery): boolean =>
  method === 'del' || method === 'counter' || ((method === 'insert' || method === 'update') && !returning);

/** Outside the class: Knex makes a client per transaction with `Object.create`, which loses private members. */
const prepared = new WeakMap<SqliteConnection, LRUCache<string, Statement>>();

function statementsOf(connection: SqliteConnection): LRUCache<string, Statement> {
  let statements = prepared.get(connection);
  if (!statements) {
    statements = new LRUCache({ max: MAX_STATEMENTS, dispose: (statement) => statement.finalize() });
    prepared.set(connection, statements);
  }
  return statements;
}

/**
 * Knex's SQLite client with a cache of prepared statements. Each call into SQLite is a round trip to another thread,
 * which costs more than most statements. Without the cache a statement takes two, and is parsed and planned again.
 */
export class PreparedSqliteClient extends SqliteClient {
  override _query(connection: SqliteConnection, query: KnexQuery): Promise<KnexQuery> {
    const statements = statementsOf(connection);
    return new Promise((resolve, reject) => {
      const onPrepared = (error: Error | null) => {
        if (!error) return;
        statements.delete(query.sql);
        reject(error); // The driver never calls back for a statement that could not be prepared.
      };
      const statement = statements.get(query.sql) ?? connection.prepare(query.sql, onPrepared);
      statements.set(query.sql, statement);
      const done: Callback = function (error, rows) {
        if (error) {
          statements.delete(query.sql); // It may not have finished, and would keep its read lock.
          return reject(error);
        }
        query.response = rows;
        query.context = this;
        resolve(query);
      };
      statement[isRun(query) ? 'run' : 'all'](query.bindings ?? [], done);
    });
  }

  override async destroyRawConnection(connection: SqliteConnection): Promise<void> {
    statementsOf(connection).clear(); // A connection with open statements cannot be closed.
    await super.destroyRawConnection(connection);
  }
}
