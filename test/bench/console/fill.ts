import { Client } from 'pg';
import { snakeCase } from '../../../src/database/drivers/names.ts';
import { FIGURES } from '../../../src/database/statistics/figures.ts';

export const DELIVERIES = 1_000_000;
export const AUDIT_ROWS = 200_000;
/** The deliveries are due later, so none is sent during the measurement. */
const WAITING = 50_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a tenant with a long history: failed and waiting deliveries with one attempt each, as many attempts of
 * delivered ones, audit rows, impersonations, and statistics for every minute and hour of the retention time. The
 * database generates the rows itself.
 *
 * @param hookId the webhook of all deliveries, because a page of deliveries shows one webhook
 */
export async function fillTenant(databaseUrl: string, hookId: string, now: number): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  const run = (sql: string) => client.query(sql);
  const at = (share: string) => `(${now} - (${30 * DAY_MS} * ${share})::bigint)`;
  try {
    await run(`set session_replication_role = replica`); // Switches foreign key checks off for the million rows.
    await run(`
      insert into events (tenant_id, id, type, body, occurred_at)
      select 'default', 'event-' || n, 'User.Created', '{"event":"User.Created"}', ${at(`n / ${DELIVERIES}.0`)}
      from generate_series(0, ${DELIVERIES - 1}) n`);
    await run(`
      insert into deliveries (tenant_id, id, event_id, hook_id, state, due_at, attempts, last_status, created_at)
      select 'default', 'delivery-' || n, 'event-' || n, '${hookId}',
        case when n < ${WAITING} then 'waiting' else 'dead' end, case when n < ${WAITING} then ${now + DAY_MS} end, 1, 500, ${at(`n / ${DELIVERIES}.0`)}
      from generate_series(0, ${DELIVERIES - 1}) n`);
    await run(`
      insert into attempts (tenant_id, delivery_id, event_id, event_type, hook_id, number, trigger, started_at, duration_ms, status, is_success)
      select 'default', case when n % 2 = 0 then 'delivery-' else 'delivered-' end || n / 2, 'event-' || n / 2,
        'User.Created', '${hookId}', 1, 'schedule', ${at(`n / ${2 * DELIVERIES}.0`)}, 12,
        case when n % 2 = 0 then 500 else 200 end, n % 2 = 1
      from generate_series(0, ${2 * DELIVERIES - 1}) n`);
    await run(`
      insert into audit_log (tenant_id, id, key, result, application_id, payload, created_at)
      select 'default', 'entry-' || n, 'Management.PATCH /users/:userId', case when n % 50 = 0 then 'Error' else 'Success' end,
        'application', '{"params":{"userId":"abc"},"status":200}', ${at(`n / ${AUDIT_ROWS}.0`)}
      from generate_series(0, ${AUDIT_ROWS - 1}) n`);
    await run(`
      insert into impersonations (tenant_id, id, subject_token_id, subject_id, actor_id, application_id, scope, context, issued_at, expires_at)
      select 'default', 'impersonation-' || n, 'token-' || n, 'subject-' || n % 500, 'actor-' || n % 50, 'application',
        'read:orders', '{"ticketId":"T-1"}', ${at(`n / ${AUDIT_ROWS}.0`)}, ${at(`n / ${AUDIT_ROWS}.0`)} + 3600000
      from generate_series(0, ${AUDIT_ROWS - 1}) n`);
    for (const [widthMs, days] of [
      [60_000, 2],
      [3_600_000, 15],
    ] as const)
      await run(`
        insert into figures (tenant_id, width_ms, starts_at, expires_at, ${FIGURES.map(snakeCase)})
        select 'default', ${widthMs}, starts_at, starts_at + ${30 * DAY_MS}, ${FIGURES.map(() => 'floor(random() * 1000)')}
        from generate_series(${now - (now % widthMs) - days * DAY_MS}::bigint, ${now}, ${widthMs}) starts_at on conflict do nothing`);
    await run('vacuum analyze');
  } finally {
    await client.end();
  }
}
