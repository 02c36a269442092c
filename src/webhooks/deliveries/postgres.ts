import { prepared } from '../../database/statements/prepared.ts';
import type { Statements } from './statements.ts';

/** Finds the earliest free row of each webhook, jumping from webhook to webhook. `within` restricts it to a tenant. */
const heads = (within: string) => `heads as (
  (select tenant_id, hook_id, due_at from deliveries
   where due_at is not null and (lease_until is null or lease_until < ?) ${within}
   order by tenant_id, hook_id, due_at limit 1)
  union all
  select next.* from heads cross join lateral (
    select tenant_id, hook_id, due_at from deliveries
    where due_at is not null and (lease_until is null or lease_until < ?) ${within}
      and (tenant_id, hook_id) > (heads.tenant_id, heads.hook_id)
    order by tenant_id, hook_id, due_at limit 1
  ) next
)`;

export const dueHooks: Statements['dueHooks'] = (database, now, tenantId) => {
  const [within, own] = tenantId === undefined ? ['', []] : ['and tenant_id = ?', [tenantId]];
  const sql = `with recursive ${heads(within)} select tenant_id, hook_id from heads where due_at <= ?`;
  return database.byKey((db) => prepared(db, sql, [now, ...own, now, ...own, now]));
};

/**
 * `materialized`, because a limit with `skip locked` may otherwise run more than once and claim too many rows. The
 * commit does not wait for the disk: if PostgreSQL crashes, a lost claim leaves its row waiting.
 *
 * Updates rows by `ctid`, which the row lock keeps valid. Rejected: updating by id. While the table is small PostgreSQL
 * may use any index that starts with the tenant, and read all of the tenant's rows for each one.
 */
const CLAIM = `with rooms as materialized (
    select room, tenant_id, id as hook_id, json_build_object('tenantId', tenant_id, 'id', id, 'config', config,
      'headersEncrypted', headers_encrypted, 'signingKeyEncrypted', signing_key_encrypted, 'oldSigningKeys', old_signing_keys, 'enabled', enabled,
      'failingSince', failing_since, 'goneCount', gone_count, 'timesDisabled', times_disabled) as hook
    from (select set_config('synchronous_commit', 'off', true)) commit_soon
    cross join unnest(?::text[], ?::text[], ?::int[]) as rooms (tenant, hook, room)
    join hooks on hooks.tenant_id = rooms.tenant and hooks.id = rooms.hook
  ), picked as materialized (
    select due.* from rooms cross join lateral (
      select ctid as place, lease_until is not null as was_leased from deliveries
      where tenant_id = rooms.tenant_id and hook_id = rooms.hook_id and due_at <= ? and (lease_until is null or lease_until < ?)
      order by due_at, id limit rooms.room for update skip locked
    ) due
  ), claimed as (
    update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
    from picked where deliveries.ctid = picked.place
    returning deliveries.tenant_id, deliveries.id, deliveries.event_id, deliveries.hook_id, deliveries.attempts,
      deliveries.trigger, deliveries.times_disabled, deliveries.created_at, was_leased
  )
  select claimed.*, events.type as event_type, events.body, null::json as hook
  from claimed join events on events.tenant_id = claimed.tenant_id and events.id = claimed.event_id
  union all select null, null, null, null, null, null, null, null, null, null, null, hook from rooms`;

export const claim: Statements['claim'] = (database, rooms, { owner, now, leaseUntil }) =>
  database.byKey((db) =>
    prepared(db, CLAIM, [
      rooms.map(({ tenantId }) => tenantId),
      rooms.map(({ hookId }) => hookId),
      rooms.map(({ room }) => room),
      now,
      now,
      owner,
      leaseUntil,
    ]),
  );

/**
 * Settles a batch in one statement. Deliveries that were removed with their webhook are skipped. Columns that the
 * attempt shares with its delivery are copied in the database.
 */
const SETTLE = `with settled as materialized (
    select * from json_to_recordset(?) as settled (tenant text, delivery text, to_state text, next_due_at bigint,
      event_type text, started_at bigint, duration_ms int, status int, error_class text, error_message text,
      response_body text)
  ), delivered as (
    delete from deliveries using settled
    where to_state = 'delivered' and tenant_id = tenant and id = delivery
      and state = 'delivering' and lease_owner = ?
    returning event_id, hook_id, trigger, attempts + 1 as number, settled.*
  ), changed as (
    update deliveries set state = to_state, lease_owner = null, lease_until = null,
      due_at = case when to_state = 'waiting' then coalesce(next_due_at, due_at) end,
      attempts = attempts + (started_at is not null)::int,
      last_status = case when started_at is null then last_status else status end
    from settled
    where to_state <> 'delivered' and tenant_id = tenant and id = delivery
      and state = 'delivering' and lease_owner = ?
    returning event_id, hook_id, trigger, attempts as number, settled.*
  )
  insert into attempts (tenant_id, delivery_id, event_id, event_type, hook_id, number, trigger, started_at, duration_ms,
    status, error_class, error_message, response_body, is_success)
  select tenant, delivery, event_id, event_type, hook_id, number, trigger, started_at, duration_ms,
    status, error_class, error_message, response_body, error_class is null
  from (select * from delivered union all select * from changed) made
  where started_at is not null`;

export const settle: Statements['settle'] = async (database, settlements, owner) => {
  const rows = settlements.map(({ tenantId, id, state, dueAt, attempt }) => ({
    tenant: tenantId,
    delivery: id,
    to_state: state,
    next_due_at: dueAt,
    event_type: attempt?.eventType,
    started_at: attempt?.startedAt,
    duration_ms: attempt?.durationMs,
    status: attempt?.status,
    error_class: attempt?.errorClass,
    error_message: attempt?.errorMessage,
    response_body: attempt?.responseBody,
  }));
  await database.byKey((db) => prepared(db, SETTLE, [JSON.stringify(rows), owner, owner]));
};
