import type { Database } from '../../database/database.ts';
import type { DatabaseKind } from '../../database/statements/batched-read.ts';
import { prepared } from '../../database/statements/prepared.ts';

export interface HookKey {
  tenantId: string;
  hookId: string;
}

/** True for a row without a lease, or whose lease expired. `due_at` is null on rows in a final state. */
export const FREE = '(lease_until is null or lease_until < ?)';

/** Finds the earliest free row of the next webhook that has one, in the order of the index. */
const nextHead = (columns: string, within: string) => `(select ${columns} from deliveries
  where due_at is not null and ${FREE} and ${within} order by tenant_id, hook_id, due_at limit 1)`;

type FindDueHooks = (
  database: Pick<Database, 'reader' | 'byKey'>,
  now: number,
  tenantId: string | undefined,
) => Promise<HookKey[]>;

/** Both jump from webhook to webhook along the index, starting before the first one. */
export const dueHooks: Record<DatabaseKind, FindDueHooks> = {
  /**
   * Rejected: the row comparison for one tenant too. PostgreSQL then uses only `tenant_id = ?` of the index, and reads
   * every row of the tenant for each webhook.
   */
  async postgres({ byKey }, now, tenantId) {
    const head = (within: string) => nextHead('tenant_id, hook_id, due_at', within);
    const [first, next, own] =
      tenantId === undefined
        ? ['true', '(tenant_id, hook_id) > (heads.tenant_id, heads.hook_id)', []]
        : ['tenant_id = ?', 'tenant_id = heads.tenant_id and hook_id > heads.hook_id', [tenantId]];
    const sql = `with recursive heads as (
        ${head(first)}
        union all
        select next.* from heads cross join lateral ${head(next)} next
      )
      select tenant_id, hook_id from heads where due_at <= ?`;
    return byKey((db) => prepared(db, sql, [now, ...own, now, now]));
  },

  /**
   * Rejected: the row-value comparison `(tenant_id, hook_id) > (…)`. SQLite uses only its first column, and reads every
   * row of the tenant for each webhook.
   */
  async sqlite({ reader }, now, tenantId) {
    const nextOfTenant = nextHead('rowid', 'tenant_id = heads.tenant_id and hook_id > heads.hook_id');
    const [next, free] =
      tenantId === undefined
        ? [`coalesce(${nextOfTenant}, ${nextHead('rowid', 'tenant_id > heads.tenant_id')})`, [now, now]]
        : [nextOfTenant, [now]];
    const sql = `with recursive heads (tenant_id, hook_id, due_at) as (
        values (?, '', null)
        union all
        select next.tenant_id, next.hook_id, next.due_at from heads join deliveries next on next.rowid = ${next}
      )
      select tenant_id, hook_id from heads where due_at <= ?`;
    return prepared(reader, sql, [tenantId ?? '', ...free, now]);
  },
};
