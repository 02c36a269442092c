import type { Statements } from './deliveries.ts';

/** Planning these takes as long as running them, so each connection plans them once, under a name. */
const prepared = (db: Db, name: string, sql: string, bindings: unknown[]) =>
  db.raw(sql, bindings as never).options({ name: `webhooks_${name}` });

type Db = Parameters<Statements['claim']>[0];

/** The next hook after the last one found, over and over. `within` restricts it to a tenant. */
const heads = (within: string) => `heads as (
  (select tenant_id, hook_id, due_at from deliveries
   where state = 'waiting' ${within} order by tenant_id, hook_id, due_at limit 1)
  union all
  select next.* from heads cross join lateral (
    select tenant_id, hook_id, due_at from deliveries
    where state = 'waiting' and (tenant_id, hook_id) > (heads.tenant_id, heads.hook_id) ${within}
    order by tenant_id, hook_id, due_at limit 1
  ) next
)`;

export const dueHooks: Statements['dueHooks'] = async (db, now, tenantId) => {
  if (tenantId !== undefined) {
    const sql = `with recursive ${heads('and tenant_id = ?')} select tenant_id, hook_id from heads where due_at <= ?`;
    return prepared(db, 'due_hooks_of_tenant', sql, [tenantId, tenantId, now]);
  }
  return prepared(
    db,
    'due_hooks',
    `with recursive freed as (
       update deliveries set state = 'waiting', lease_owner = null, lease_until = null
       where state = 'delivering' and lease_until < ? returning tenant_id, hook_id
     ), ${heads('')}
     select tenant_id, hook_id from heads where due_at <= ? union all select tenant_id, hook_id from freed`,
    [now, now],
  );
};

/** `materialized`, because a limit beside `skip locked` may otherwise run more than once and take more. */
export const claim: Statements['claim'] = async (db, rooms, { owner, now, leaseUntil }) =>
  prepared(
    db,
    'claim',
    `with rooms as (
       select * from unnest(?::text[], ?::text[], ?::int[]) as rooms (tenant_id, hook_id, room)
     ), picked as materialized (
       select due.* from rooms cross join lateral (
         select tenant_id, id from deliveries
         where state = 'waiting' and tenant_id = rooms.tenant_id and hook_id = rooms.hook_id and due_at <= ?
         order by due_at, id limit rooms.room for update skip locked
       ) due
     ), claimed as (
       update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
       from picked where deliveries.tenant_id = picked.tenant_id and deliveries.id = picked.id
       returning deliveries.*
     )
     select claimed.tenant_id, claimed.id, claimed.event_id, claimed.hook_id, claimed.attempts, claimed.trigger,
       claimed.created_at, claimed.lease_until, events.type as event_type, events.body, hooks.config, hooks.signing_key_encrypted,
       hooks.old_signing_keys, hooks.enabled, hooks.failing_since, hooks.gone_count
     from claimed
     join events on events.tenant_id = claimed.tenant_id and events.id = claimed.event_id
     join hooks on hooks.tenant_id = claimed.tenant_id and hooks.id = claimed.hook_id`,
    [
      rooms.map(({ tenantId }) => tenantId),
      rooms.map(({ hookId }) => hookId),
      rooms.map(({ room }) => room),
      now,
      owner,
      leaseUntil,
    ],
  );

/**
 * One statement. It locks the hooks before their deliveries, as deleting a hook does: the other order would be a
 * deadlock with it. What a deleted hook took along is settled for nobody. Nothing is joined that was joined before:
 * PostgreSQL expects one row of each step and would compare all with all.
 */
export const settle: Statements['settle'] = async (db, settlements, owner) => {
  await prepared(
    db,
    'settle',
    `with held as materialized (
       select settled.*, deliveries.hook_id
       from json_to_recordset(?) as settled (tenant_id text, id text, state text, due_at bigint, attempt json)
       join deliveries using (tenant_id, id)
       where deliveries.state = 'delivering' and deliveries.lease_owner = ?
     ), locked as materialized (
       select count(*) from (
         select 1 from hooks where (tenant_id, id) in (select tenant_id, hook_id from held)
         order by tenant_id, id for key share
       ) hooks
     ), delivered as (
       delete from deliveries using held, locked
       where held.state = 'delivered' and deliveries.tenant_id = held.tenant_id and deliveries.id = held.id
         and deliveries.lease_owner = ?
       returning held.attempt
     ), changed as (
       update deliveries set state = held.state, due_at = coalesce(held.due_at, deliveries.due_at),
         attempts = deliveries.attempts + (held.attempt is not null)::int,
         last_status = case when held.attempt is null then last_status else (held.attempt ->> 'status')::int end,
         lease_owner = null, lease_until = null
       from held, locked
       where held.state <> 'delivered' and deliveries.tenant_id = held.tenant_id and deliveries.id = held.id
         and deliveries.lease_owner = ?
       returning held.attempt
     ), made as (
       select attempt from delivered union all select attempt from changed
     )
     insert into attempts (tenant_id, id, delivery_id, event_id, event_type, hook_id, number, trigger, started_at,
       duration_ms, status, error_class, error_message, response_body, is_success)
     select "tenantId", id, "deliveryId", "eventId", "eventType", "hookId", number, trigger, "startedAt",
       "durationMs", status, "errorClass", "errorMessage", "responseBody", "isSuccess"
     from json_to_recordset((select coalesce(json_agg(attempt), '[]') from made where attempt is not null)) as attempt (
       "tenantId" text, id text, "deliveryId" text, "eventId" text, "eventType" text, "hookId" text, number int,
       trigger text, "startedAt" bigint, "durationMs" int, status int, "errorClass" text, "errorMessage" text,
       "responseBody" text, "isSuccess" boolean)`,
    [
      JSON.stringify(
        settlements.map(({ tenantId, id, state, dueAt, attempt }) => ({
          tenant_id: tenantId,
          id,
          state,
          due_at: dueAt,
          attempt,
        })),
      ),
      owner,
      owner,
      owner,
    ],
  );
};
