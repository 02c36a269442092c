import type { Knex } from 'knex';
import type { Database } from '../database.ts';

/** The arguments that a store passes to a statement. */
export interface StatementContext {
  db: Knex;
  kind: Database['kind'];
  /** The statement must use it in every condition: nothing else limits it to the tenant. */
  tenantId: string;
}

/** SQL where a query builder costs more than the query, or one statement replaces several: `TenantStore.write`. */
export type Statement<Result> = (context: StatementContext) => Promise<Result>;
