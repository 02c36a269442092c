import SqliteClient from 'knex/lib/dialects/sqlite3/index.js';
import { LRUCache } from 'lru-cache';

interface Statement {
  all(bindings: readonly unknown[], done: Done): void;
  run(bindings: readonly unknown[], done: Done): void;
  finalize(): void;
}
interface Connection {
  prepare(sql: string, done: (error: Error | null) => void): Statement;
}
type Done = (this: { lastID: number; changes: number }, error: Error | null, rows?: unknown[]) => void;

/** Knex's own record of a query: what goes in, and where it looks for what came out. */
interface Query {
  sql: string;
  bindings?: readonly unknown[];
  method?: string;
  returning?: unknown;
  response?: unknown;
  context?: unknown;
}

/** Of one connection: more than there are texts in the code, but for lists of differing length. */
const MAX_STATEMENTS = 256;

const isRun = ({ method, returning }: Query): boolean =>
  method === 'del' || method === 'counter' || ((method === 'insert' || method === 'update') && !returning);

/** Outside the class: Knex makes a client for each transaction by `Object.create`, which private members do not survive. */
const prepared = new WeakMap<Connection, LRUCache<string, Statement>>();

function statementsOf(connection: Connection): LRUCache<string, Statement> {
  let statements = prepared.get(connection);
  if (!statements) {
    statements = new LRUCache({ max: MAX_STATEMENTS, dispose: (statement) => statement.finalize() });
    prepared.set(connection, statements);
  }
  return statements;
}

/**
 * Knex's SQLite client with statements that stay prepared. Each call into SQLite is a hop to another thread and back,
 * which costs more than most statements do; one that is prepared anew takes two hops, and is parsed and planned again.
 */
export class PreparedSqliteClient extends SqliteClient {
  override _query(connection: Connection, query: Query): Promise<Query> {
    const statements = statementsOf(connection);
    return new Promise((resolve, reject) => {
      const isPrepared = (error: Error | null) => {
        if (!error) return;
        statements.delete(query.sql);
        reject(error); // The driver forgets what waits for a statement that could not be prepared.
      };
      const statement = statements.get(query.sql) ?? connection.prepare(query.sql, isPrepared);
      statements.set(query.sql, statement);
      const done: Done = function (error, rows) {
        if (error) {
          statements.delete(query.sql); // It may not have ended, and then holds what it read.
          return reject(error);
        }
        query.response = rows;
        query.context = this;
        resolve(query);
      };
      statement[isRun(query) ? 'run' : 'all'](query.bindings ?? [], done);
    });
  }

  override async destroyRawConnection(connection: Connection): Promise<void> {
    statementsOf(connection).clear(); // A connection with a statement cannot be closed.
    await super.destroyRawConnection(connection);
  }
}
