import type { ClaimedDelivery, HookKey, Statements } from './deliveries.ts';

export const dueHooks: Statements['dueHooks'] = async (db, now, tenantId) => {
  const [within, bindings] = tenantId === undefined ? ['', []] : ['and tenant_id = ?', [tenantId]];
  return db.raw<HookKey[]>(
    `with recursive heads as (
       select * from (select tenant_id, hook_id, due_at from deliveries
         where state = 'waiting' ${within} order by tenant_id, hook_id, due_at limit 1)
       union all
       select next.tenant_id, next.hook_id, next.due_at from heads join deliveries next on next.rowid = (
         select rowid from deliveries
         where state = 'waiting' and (tenant_id, hook_id) > (heads.tenant_id, heads.hook_id) ${within}
         order by tenant_id, hook_id, due_at limit 1)
     )
     select tenant_id, hook_id from heads where due_at <= ?`,
    [...bindings, ...bindings, now],
  );
};

/** A select per hook, because SQLite has no lateral join that could carry each hook's own limit. */
export const claim: Statements['claim'] = async (db, rooms, { owner, now, leaseUntil }) => {
  const due = rooms.map(
    () => `select * from (
      select rowid as head from deliveries where state = 'waiting' and tenant_id = ? and hook_id = ? and due_at <= ?
      order by due_at, id limit ?)`,
  );
  const rows = await db.raw<ClaimedDelivery[]>(
    `with picked as (${due.join(' union all ')})
     select deliveries.tenant_id, deliveries.id, event_id, hook_id, attempts, trigger, deliveries.created_at,
       events.type as event_type, body, config, signing_key_encrypted, old_signing_keys, enabled, failing_since, gone_count
     from picked
     join deliveries on deliveries.rowid = picked.head
     join events on events.tenant_id = deliveries.tenant_id and events.id = event_id
     join hooks on hooks.tenant_id = deliveries.tenant_id and hooks.id = hook_id`,
    rooms.flatMap(({ tenantId, hookId, room }) => [tenantId, hookId, now, room]),
  );
  const keys = JSON.stringify(rows.map(({ tenantId, id }) => [tenantId, id]));
  await db.raw(
    `update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
     where (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?))`,
    [owner, leaseUntil, keys],
  );
  return rows.map((row) => ({ ...row, leaseUntil }));
};

/** Rows travel as one JSON text: SQLite counts parameters, and a batch has no bound that it knows. */
export const settle: Statements['settle'] = async (db, settlements, owner) => {
  const held = `state = 'delivering' and lease_owner = ?`;
  const delivered = JSON.stringify(settlements.filter(({ state }) => state === 'delivered'));
  const others = JSON.stringify(settlements.filter(({ state }) => state !== 'delivered'));
  const gone = await db.raw(
    `delete from deliveries where ${held} and (tenant_id, id) in (
       select value ->> 'tenantId', value ->> 'id' from json_each(?)) returning id`,
    [owner, delivered],
  );
  const changed = await db.raw(
    `update deliveries set state = settled.state, due_at = coalesce(settled.due_at, deliveries.due_at),
       attempts = deliveries.attempts + (attempt is not null),
       last_status = iif(attempt is null, last_status, attempt ->> 'status'), lease_owner = null, lease_until = null
     from (
       select value ->> 'tenantId' as tenant, value ->> 'id' as delivery, value ->> 'state' as state,
         value ->> 'dueAt' as due_at, value -> 'attempt' as attempt from json_each(?)
     ) settled
     where deliveries.tenant_id = tenant and deliveries.id = delivery and deliveries.${held} returning id`,
    [others, owner],
  );
  const kept: Set<string> = new Set([...gone, ...changed].map(({ id }) => id));
  const attempts = settlements.flatMap(({ id, attempt }) => (attempt && kept.has(id) ? [attempt] : []));
  await db.raw(
    `insert into attempts (tenant_id, id, delivery_id, event_id, event_type, hook_id, number, trigger, started_at,
       duration_ms, status, error_class, error_message, response_body, is_success)
     select value ->> 'tenantId', value ->> 'id', value ->> 'deliveryId', value ->> 'eventId', value ->> 'eventType',
       value ->> 'hookId', value ->> 'number', value ->> 'trigger', value ->> 'startedAt', value ->> 'durationMs',
       value ->> 'status', value ->> 'errorClass', value ->> 'errorMessage', value ->> 'responseBody', value ->> 'isSuccess'
     from json_each(?)`,
    [JSON.stringify(attempts)],
  );
};
