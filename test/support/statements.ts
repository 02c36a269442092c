import knex, { type Knex } from 'knex';
import { vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { DatabaseKind } from './databases.ts';

/** A statement as it was sent, and the label it was recorded under. */
export interface Sent {
  sql: string;
  bindings: readonly unknown[];
  by: string;
}

interface Query {
  sql: string;
  bindings?: readonly unknown[];
}

/** Calls `listen` with each statement that this process sends to databases of this kind, until it is restored. */
export function spyOnStatements(
  kind: DatabaseKind,
  listen: (query: Query, connection: object) => void,
): { mockRestore(): void } {
  const send = knex.Client.prototype.query;
  return vi.spyOn(knex.Client.prototype, 'query').mockImplementation(function (this: Knex.Client, connection, query) {
    const sent = send.call(this, connection, query); // Completes the query.
    if (this.config.client === (kind === 'sqlite' ? 'sqlite3' : 'pg')) listen(query, connection);
    return sent;
  });
}

/** Records the statements that this process sends to databases of this kind, each text once, without changing them. */
export class StatementRecorder {
  readonly #sent = new Map<string, Sent>();
  /** The statements that create SQLite's procedures, also those sent before or between recordings. */
  readonly procedures: string[] = [];
  readonly #spy: { mockRestore(): void };
  #by = '';

  constructor(kind: DatabaseKind) {
    this.#spy = spyOnStatements(kind, ({ sql, bindings = [] }) => {
      if (sql?.startsWith('create temp')) this.procedures.push(sql);
      if (this.#by && !this.#sent.has(sql)) this.#sent.set(sql, { sql, bindings, by: this.#by });
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
  stop(): Sent[] {
    this.#spy.mockRestore();
    return [...this.#sent.values()].filter(({ sql }) => /^\s*(select|with|insert|update|delete)\b/i.test(sql));
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
      .map((statement) => ({ sql: statement.replace(/\bnew\.\w+/g, '?'), bindings: [], by: name })),
  );
}

/**
 * Returns SQLite's query plan, one step per line: `SEARCH deliveries USING INDEX deliveries_due (tenant_id=? AND
 * hook_id>?)`.
 */
export async function sqlitePlan(database: Database, sql: string): Promise<string[]> {
  const bindings = Array((sql.match(/\?/g) ?? []).length).fill(null);
  const steps: { detail: string }[] = await database.write((db) => db.raw(`explain query plan ${sql}`, bindings));
  return steps.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)\b/.test(detail));
}

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Returns the nodes of all levels of plans in PostgreSQL's JSON format. */
export const planNodes = (rows: readonly unknown[]): PlanNode[] =>
  rows
    .flatMap((row) => (row as Record<'QUERY PLAN' | 'queryPlan', { Plan: PlanNode }[]>)['QUERY PLAN'] ?? [])
    .flatMap(({ Plan }) => nodesOf(Plan));
