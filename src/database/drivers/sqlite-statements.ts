import { LRUCache } from 'lru-cache';
import type { Database, Statement } from 'sqlite3';

/** Prepared statements per connection: more than the code has, except for lists of varying length. */
const MAX_STATEMENTS = 256;

/** Knex reads the number of changes from `this`. */
type Done = (this: Statement, error: Error | null, rows?: unknown[]) => void;

/**
 * Makes a connection keep its prepared statements, by replacing the driver's methods that Knex calls. Each call into
 * SQLite is a round trip to another thread, which costs more than most statements. Without the cache a statement takes
 * two, and is parsed and planned again. Rejected: a dialect of our own, because Knex's classes for it are private.
 */
export function keepStatements(connection: Database): void {
  const statements = new LRUCache<string, Statement>({
    max: MAX_STATEMENTS,
    dispose: (statement) => void statement.finalize(),
  });
  const caller = (method: 'all' | 'run') => (sql: string, bindings: unknown[], done: Done) => {
    const finish: Done = function (error, rows) {
      if (error) statements.delete(sql); // It may not have finished, and would keep its read lock.
      done.call(this, error, rows);
    };
    // The driver does not call back a second time for a statement that could not be prepared.
    const prepare = () => connection.prepare(sql, (error: Error | null) => error && finish.call(statement, error));
    const statement = statements.get(sql) ?? prepare();
    statements.set(sql, statement);
    statement[method](bindings, finish);
  };
  const close = connection.close.bind(connection);
  Object.assign(connection, {
    all: caller('all'),
    run: caller('run'),
    close(done: (error: Error | null) => void) {
      statements.clear(); // A connection with open statements cannot be closed.
      close(done);
    },
  });
}
