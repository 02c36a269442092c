import knex, { type Knex } from 'knex';
import { vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { DatabaseKind } from './databases.ts';

/** A statement as it was sent, and what sent it first. */
export interface Sent {
  sql: string;
  bindings: readonly unknown[];
  by: string;
  /** True if PostgreSQL keeps its plan, which then is for any values. */
  isPrepared: boolean;
  /** Settings of its connection to PostgreSQL, as options of the command line. */
  settings: string;
}

interface Query {
  sql: string;
  bindings?: readonly unknown[];
  options?: { name?: string };
}

/** A connection to PostgreSQL, or one to SQLite, which has no parameters. */
interface Connection {
  connectionParameters?: { options?: string };
}

/** Calls `listen` with each statement that this process sends to databases of this kind, until it is restored. */
export function spyOnStatements(
  kind: DatabaseKind,
  listen: (query: Query, connection: Connection) => void,
): { mockRestore(): void } {
  const send = knex.Client.prototype.query;
  return vi.spyOn(knex.Client.prototype, 'query').mockImplementation(function (this: Knex.Client, connection, query) {
    const sent = send.call(this, connection, query); // Completes the query.
    if (this.config.client === (kind === 'sqlite' ? 'sqlite3' : 'pg')) listen(query, connection);
    return sent;
  });
}

/** Records the statements that this process sends to databases of this kind, each text once, without changing them. */
export class StatementRecorder implements Disposable {
  readonly #sent = new Map<string, Sent>();
  /** The statements that create SQLite's procedures, also those sent before or between recordings. */
  readonly procedures: string[] = [];
  readonly #spy: { mockRestore(): void };
  #by = '';

  constructor(kind: DatabaseKind) {
    this.#spy = spyOnStatements(kind, ({ sql, bindings = [], options }, { connectionParameters }) => {
      if (sql?.startsWith('create temp')) this.procedures.push(sql);
      const [isPrepared, settings] = [options?.name !== undefined, connectionParameters?.options ?? ''];
      const key = `${settings} ${sql}`;
      if (this.#by && !this.#sent.has(key)) this.#sent.set(key, { sql, bindings, by: this.#by, isPrepared, settings });
    });
  }

  /** Records the statements that are sent during `work` under this label. */
  async during<T>(by: string, work: () => Promise<T>): Promise<T> {
    this.#by = by;
    try {
      return await work();
    } finally {
      this.#by = '';
    }
  }

  /** Returns the recorded statements that read or change rows. */
  sent(): Sent[] {
    return [...this.#sent.values()].filter(({ sql }) => /^\s*(select|with|insert|update|delete)\b/i.test(sql));
  }

  [Symbol.dispose](): void {
    this.#spy.mockRestore();
  }
}

/**
 * Creates SQLite's procedures, and returns the statements inside their triggers: `explain` does not show them for a
 * statement that fires one.
 */
export async function triggeredStatements(database: Database, procedures: readonly string[]): Promise<Sent[]> {
  for (const definition of procedures) await database.write((db) => db.raw(definition));
  const triggers: { name: string; sql: string }[] = await database.write((db) =>
    db.raw(`select name, sql from sqlite_temp_master where type = 'trigger'`),
  );
  return triggers.flatMap(({ name, sql }) =>
    sql
      .slice(sql.indexOf('begin') + 'begin'.length, sql.lastIndexOf('end'))
      .split(';')
      .filter((statement) => /\S/.test(statement) && !/^\s*select raise\(/.test(statement)) // It reads no table.
      .map((statement) => ({
        sql: statement.replace(/\bnew\.\w+/g, '?'),
        bindings: [],
        by: name,
        isPrepared: true,
        settings: '',
      })),
  );
}
