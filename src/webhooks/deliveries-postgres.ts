import type { Statements } from './deliveries.ts';

type Db = Parameters<Statements['claim']>[0];

/** Planning these takes as long as running them, so each connection plans them once, under a name. */
const prepared = (db: Db, name: string, sql: string, bindings: unknown[]) =>
  db.raw(sql, bindings as never).options({ name: `webhooks_${name}` });

/** The next hook after the last one found, over and over. `within` restricts it to a tenant. */
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

export const dueHooks: Statements['dueHooks'] = async (db, now, tenantId) => {
  const [name, within, own] = tenantId === undefined ? ['', '', []] : ['_of_tenant', 'and tenant_id = ?', [tenantId]];
  const sql = `with recursive ${heads(within)} select tenant_id, hook_id from heads where due_at <= ?`;
  return prepared(db, `due_hooks${name}`, sql, [now, ...own, now, ...own, now]);
};

/** `materialized`, because a limit beside `skip locked` may otherwise run more than once and take more. */
const CLAIM = `with rooms as materialized (
    select rooms.room, hooks.* from unnest(?::text[], ?::text[], ?::int[]) as rooms (tenant, hook, room)
    join hooks on hooks.tenant_id = rooms.tenant and hooks.id = rooms.hook
  ), picked as materialized (
    select due.id as delivery_id, rooms.* from rooms cross join lateral (
      select id from deliveries
      where tenant_id = rooms.tenant_id and hook_id = rooms.id and due_at <= ? and (lease_until is null or lease_until < ?)
      order by due_at, id limit rooms.room for update skip locked
    ) due
  ), claimed as (
    update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
    from picked where deliveries.tenant_id = picked.tenant_id and deliveries.id = picked.delivery_id
    returning deliveries.tenant_id, deliveries.id, deliveries.event_id, deliveries.hook_id, deliveries.attempts,
      deliveries.trigger, deliveries.created_at, deliveries.lease_until, picked.config, picked.signing_key_encrypted,
      picked.old_signing_keys, picked.enabled, picked.failing_since, picked.gone_count
  )
  select claimed.*, events.type as event_type, events.body
  from claimed join events on events.tenant_id = claimed.tenant_id and events.id = claimed.event_id`;

export const claim: Statements['claim'] = async (db, rooms, { owner, now, leaseUntil }) =>
  prepared(db, 'claim', CLAIM, [
    rooms.map(({ tenantId }) => tenantId),
    rooms.map(({ hookId }) => hookId),
    rooms.map(({ room }) => room),
    now,
    now,
    owner,
    leaseUntil,
  ]);

const ATTEMPT = `event_id, event_type, number, trigger, started_at, duration_ms, status, error_class, error_message,
  response_body, is_success`;

/**
 * One statement. It locks the hooks before their deliveries, as deleting a hook does: the other order would be a
 * deadlock with it. What a deleted hook took along is settled for nobody.
 */
const SETTLE = `with settled as materialized (
    select * from json_to_recordset(?) as settled (tenant_id text, id text, hook_id text, state text, due_at bigint,
      event_id text, event_type text, number int, trigger text, started_at bigint, duration_ms int, status int,
      error_class text, error_message text, response_body text, is_success boolean)
  ), locked as materialized (
    select count(*) from (
      select 1 from hooks where (tenant_id, id) in (select tenant_id, hook_id from settled)
      order by tenant_id, id for key share
    ) hooks
  ), delivered as (
    delete from deliveries using settled, locked
    where settled.state = 'delivered' and deliveries.tenant_id = settled.tenant_id and deliveries.id = settled.id
      and deliveries.state = 'delivering' and deliveries.lease_owner = ?
    returning settled.*
  ), changed as (
    update deliveries set state = settled.state, lease_owner = null, lease_until = null,
      due_at = case when settled.state = 'waiting' then coalesce(settled.due_at, deliveries.due_at) end,
      attempts = coalesce(settled.number, deliveries.attempts),
      last_status = case when settled.number is null then last_status else settled.status end
    from settled, locked
    where settled.state <> 'delivered' and deliveries.tenant_id = settled.tenant_id and deliveries.id = settled.id
      and deliveries.state = 'delivering' and deliveries.lease_owner = ?
    returning settled.*
  )
  insert into attempts (tenant_id, delivery_id, hook_id, ${ATTEMPT})
  select tenant_id, id, hook_id, ${ATTEMPT} from (select * from delivered union all select * from changed) made
  where number is not null`;

export const settle: Statements['settle'] = async (db, settlements, owner) => {
  const rows = settlements.map(({ tenantId, id, hookId, state, dueAt, attempt }) => ({
    tenant_id: tenantId,
    id,
    hook_id: hookId,
    state,
    due_at: dueAt,
    ...(attempt && {
      event_id: attempt.eventId,
      event_type: attempt.eventType,
      number: attempt.number,
      trigger: attempt.trigger,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error_class: attempt.errorClass,
      error_message: attempt.errorMessage,
      response_body: attempt.responseBody,
      is_success: attempt.isSuccess,
    }),
  }));
  await prepared(db, 'settle', SETTLE, [JSON.stringify(rows), owner, owner]);
};
