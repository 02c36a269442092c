import type { ClaimedDelivery, HookKey, Settlement, Statements } from './deliveries.ts';

/** A row that waits, or whose holder did not settle it in time. `due_at` is null on all others. */
const FREE = '(lease_until is null or lease_until < ?)';

export const dueHooks: Statements['dueHooks'] = async (db, now, tenantId) => {
  const [within, own] = tenantId === undefined ? ['', []] : ['and tenant_id = ?', [tenantId]];
  return db.raw<HookKey[]>(
    `with recursive heads as (
       select * from (select tenant_id, hook_id, due_at from deliveries
         where due_at is not null and ${FREE} ${within} order by tenant_id, hook_id, due_at limit 1)
       union all
       select next.tenant_id, next.hook_id, next.due_at from heads join deliveries next on next.rowid = (
         select rowid from deliveries
         where due_at is not null and ${FREE} ${within} and (tenant_id, hook_id) > (heads.tenant_id, heads.hook_id)
         order by tenant_id, hook_id, due_at limit 1)
     )
     select tenant_id, hook_id from heads where due_at <= ?`,
    [now, ...own, now, ...own, now],
  );
};

/** A select per hook, because SQLite has no lateral join that could carry each hook's own limit. */
export const claim: Statements['claim'] = async (db, rooms, { owner, now, leaseUntil }) => {
  const due = rooms.map(
    () => `select * from (
      select rowid as head from deliveries where tenant_id = ? and hook_id = ? and due_at <= ? and ${FREE}
      order by due_at, id limit ?)`,
  );
  const rows = await db.raw<(Omit<ClaimedDelivery, 'wasLeased'> & { head: number; wasLeased: number })[]>(
    `with picked as (${due.join(' union all ')})
     select picked.head, deliveries.tenant_id, deliveries.id, event_id, hook_id, attempts, trigger, deliveries.created_at,
       lease_until is not null as was_leased, events.type as event_type, body, config, signing_key_encrypted, old_signing_keys, enabled, failing_since, gone_count
     from picked
     join deliveries on deliveries.rowid = picked.head
     join events on events.tenant_id = deliveries.tenant_id and events.id = event_id
     join hooks on hooks.tenant_id = deliveries.tenant_id and hooks.id = hook_id`,
    rooms.flatMap(({ tenantId, hookId, room }) => [tenantId, hookId, now, now, room]),
  );
  if (rows.length === 0) return [];
  await db.raw(
    `update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
     where rowid in (select value from json_each(?))`,
    [owner, leaseUntil, JSON.stringify(rows.map(({ head }) => head))],
  );
  return rows.map((row) => ({ ...row, leaseUntil, wasLeased: row.wasLeased === 1 }));
};

const HELD = `state = 'delivering' and lease_owner = ?`;

/** Rows travel as one JSON text: SQLite counts parameters, and a batch has no bound that it knows. */
export const settle: Statements['settle'] = async (db, settlements, owner) => {
  const delivered = settlements.filter(({ state }) => state === 'delivered');
  const others = settlements.filter(({ state }) => state !== 'delivered');
  const kept = new Set([...(await remove(db, delivered, owner)), ...(await change(db, others, owner))]);
  const attempts = settlements.flatMap(({ id, attempt }) => (attempt && kept.has(id) ? [attempt] : []));
  if (attempts.length === 0) return;
  await db.raw(
    `insert into attempts (tenant_id, delivery_id, event_id, event_type, hook_id, number, trigger, started_at,
       duration_ms, status, error_class, error_message, response_body, is_success)
     select value ->> 'tenantId', value ->> 'deliveryId', value ->> 'eventId', value ->> 'eventType', value ->> 'hookId',
       value ->> 'number', value ->> 'trigger', value ->> 'startedAt', value ->> 'durationMs', value ->> 'status',
       value ->> 'errorClass', value ->> 'errorMessage', value ->> 'responseBody', value ->> 'isSuccess'
     from json_each(?)`,
    [JSON.stringify(attempts)],
  );
};

type Step = (db: Parameters<Statements['settle']>[0], rows: Settlement[], owner: string) => Promise<string[]>;

/** @returns the ids of those that were still ours */
const remove: Step = async (db, rows, owner) => {
  if (rows.length === 0) return [];
  const keys = JSON.stringify(rows.map(({ tenantId, id }) => [tenantId, id]));
  const gone = await db.raw<{ id: string }[]>(
    `delete from deliveries where ${HELD} and (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?))
     returning id`,
    [owner, keys],
  );
  return gone.map(({ id }) => id);
};

const change: Step = async (db, rows, owner) => {
  if (rows.length === 0) return [];
  const changed = await db.raw<{ id: string }[]>(
    `update deliveries set state = settled.state, lease_owner = null, lease_until = null,
       due_at = iif(settled.state = 'waiting', coalesce(settled.due_at, deliveries.due_at), null),
       attempts = deliveries.attempts + (attempt is not null),
       last_status = iif(attempt is null, last_status, attempt ->> 'status')
     from (
       select value ->> 'tenantId' as tenant, value ->> 'id' as delivery, value ->> 'state' as state,
         value ->> 'dueAt' as due_at, value -> 'attempt' as attempt from json_each(?)
     ) settled
     where deliveries.tenant_id = tenant and deliveries.id = delivery and deliveries.${HELD} returning id`,
    [JSON.stringify(rows), owner],
  );
  return changed.map(({ id }) => id);
};
