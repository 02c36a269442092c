import type { Knex } from 'knex';
import type { Database } from '../database.ts';

/** The arguments that a store passes to a statement. */
export interface StatementContext {
  db: Knex;
  kind: Database['kind'];
  /** The statement must use it in every condition: nothing else limits it to the tenant. */
  tenantId: string;
}

/**
 * Handwritten SQL, for the few places where a query builder costs more than the query, or where one statement replaces
 * several. `TenantStore.write` runs it.
 */
export type Statement<Result> = (context: StatementContext) => Promise<Result>;
