import type { Knex } from 'knex';
import type { Database } from '../database.ts';

/** The arguments that a store passes to a statement. */
export interface Target {
  db: Knex;
  kind: Database['kind'];
  /** The statement must use it in every condition: nothing else limits it to the tenant. */
  tenantId: string;
}

/**
 * Handwritten SQL, for the few places where a query builder costs more than the query, or where one statement replaces
 * several. Each is a file in this folder, run by `TenantStore.write`; a `BatchedRead` is run by `TenantStore.readOne`.
 */
export type Statement<Result> = (target: Target) => Promise<Result>;
