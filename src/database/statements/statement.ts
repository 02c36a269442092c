import type { Knex } from 'knex';
import type { Database } from '../database.ts';

/** What a statement is given by the store that runs it. */
export interface Target {
  db: Knex;
  kind: Database['kind'];
  /** The statement names it in every condition: nothing else keeps it inside the tenant. */
  tenantId: string;
}

/**
 * SQL by hand, for the few places where a query builder costs more than the query, or where the databases are to do in
 * one statement what would be several. Each is a file of this folder; `TenantStore.read` and `write` run it.
 */
export type Statement<Result> = (target: Target) => Promise<Result>;
