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

export const settle: Statements['settle'] = async (db, settlements, owner) => {
  const delivered = settlements.filter(({ state }) => state === 'delivered');
  const others = settlements.filter(({ state }) => state !== 'delivered');
  const held = `state = 'delivering' and lease_owner = ?`;
  const kept: { tenantId: string; id: string }[] = [];
  if (delivered.length > 0) {
    const keys = JSON.stringify(delivered.map(({ tenantId, id }) => [tenantId, id]));
    const rows = await db.raw(
      `delete from deliveries where ${held}
       and (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?)) returning tenant_id, id`,
      [owner, keys],
    );
    kept.push(...rows);
  }
  for (const { tenantId, id, state, dueAt, attempt } of others) {
    const rows = await db.raw(
      `update deliveries set state = ?, due_at = coalesce(?, due_at), attempts = attempts + ?,
         last_status = case when ? then ? else last_status end, lease_owner = null, lease_until = null
       where ${held} and tenant_id = ? and id = ? returning tenant_id, id`,
      [state, dueAt ?? null, attempt ? 1 : 0, attempt ? 1 : 0, attempt?.status ?? null, owner, tenantId, id],
    );
    kept.push(...rows);
  }
  const keptIds = new Set(kept.map(({ tenantId, id }) => `${tenantId}/${id}`));
  const attempts = settlements.flatMap(({ tenantId, id, attempt }) =>
    attempt && keptIds.has(`${tenantId}/${id}`) ? [attempt] : [],
  );
  if (attempts.length > 0) await db('attempts').insert(attempts);
};
