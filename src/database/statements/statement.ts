import type { Knex } from 'knex';
import type { DatabaseKind } from './batched-read.ts';
import { prepared } from './prepared.ts';
import type { SqliteProcedure } from './sqlite-procedure.ts';

/** The arguments that a store passes to a statement. None of them builds or runs another one. */
export interface StatementContext {
  kind: DatabaseKind;
  tenantId: string;
  /** Runs a statement that limits every table to `tenantId`, as `prepared` does. */
  prepared<Row>(sql: string, bindings: readonly Knex.Value[]): Promise<Row[]>;
  /** Calls a procedure of SQLite that limits every table to its parameter `tenant_id`. */
  call<Values>(procedure: SqliteProcedure<Values>, values: Values & { tenant_id: string }): Promise<unknown>;
}

/** SQL where a query builder costs more than the query, or one statement replaces several: `TenantStore.write`. */
export type Statement<Result> = (context: StatementContext) => Promise<Result>;

/** @throws in `prepared` if a statement does not name the tenant */
export const statementContext = (db: Knex, kind: DatabaseKind, tenantId: string): StatementContext => ({
  kind,
  tenantId,
  async prepared(sql, bindings) {
    if (!sql.includes('tenant_id') || !bindings.includes(tenantId)) throw new Error(`Not limited to a tenant: ${sql}`);
    return prepared(db, sql, bindings);
  },
  async call(procedure, values) {
    if (values.tenant_id !== tenantId) throw new Error('Not limited to the tenant');
    return procedure(db, values);
  },
});
