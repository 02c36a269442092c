import type { ClaimedRow, HookKey, HookRoom, Statements } from './statements.ts';

/** True for a row without a lease, or whose lease expired. `due_at` is null on rows in a final state. */
const FREE = '(lease_until is null or lease_until < ?)';

/** Finds the earliest free row of the next webhook that has one. */
const nextHead = (hooks: string) => `(select rowid from deliveries
  where due_at is not null and ${FREE} and ${hooks} order by tenant_id, hook_id, due_at limit 1)`;

/**
 * Jumps from webhook to webhook along the index, starting before the first one. Rejected: the row-value comparison
 * `(tenant_id, hook_id) > (…)`. SQLite uses only its first column, and reads every row of the tenant for each webhook.
 */
export const dueHooks: Statements['dueHooks'] = async ({ reader }, now, tenantId) => {
  const nextOfTenant = nextHead('tenant_id = heads.tenant_id and hook_id > heads.hook_id');
  const [next, free] =
    tenantId === undefined
      ? [`coalesce(${nextOfTenant}, ${nextHead('tenant_id > heads.tenant_id')})`, [now, now]]
      : [nextOfTenant, [now]];
  return reader.raw<HookKey[]>(
    `with recursive heads (tenant_id, hook_id, due_at) as (
       values (?, '', null)
       union all
       select next.tenant_id, next.hook_id, next.due_at from heads join deliveries next on next.rowid = ${next}
     )
     select tenant_id, hook_id from heads where due_at <= ?`,
    [tenantId ?? '', ...free, now],
  );
};

/** A row as SQLite returns it: JSON as text, booleans as 0 and 1. */
type RawRow = Omit<ClaimedRow, 'hook' | 'wasLeased'> & { hook: string | null; wasLeased: number | null };

const NO_ROOM: HookRoom = { tenantId: '', hookId: '', room: 0 };

/**
 * One select per webhook, because SQLite has no lateral join that could apply a limit to each. The number of selects is
 * padded to a power of two, so that there are few different statements to prepare.
 */
function dueUpTo(rooms: HookRoom[], now: number): { due: string; bindings: (string | number)[] } {
  const filled = [...rooms, ...Array<HookRoom>(2 ** Math.ceil(Math.log2(rooms.length)) - rooms.length).fill(NO_ROOM)];
  const each = `select * from (
    select rowid as head, lease_until is not null as was_leased from deliveries
    where tenant_id = ? and hook_id = ? and due_at <= ? and ${FREE} order by due_at, id limit ?)`;
  return {
    due: filled.map(() => each).join(' union all '),
    bindings: filled.flatMap(({ tenantId, hookId, room }) => [tenantId, hookId, now, now, room]),
  };
}

/**
 * Reads on a reader connection, then updates only the rows that are still free. SQLite has a single process, so no one
 * else claims in between, but a row may have been cancelled or removed. Rows of deleted webhooks are skipped.
 */
export const claim: Statements['claim'] = async ({ reader, byKey }, rooms, { owner, now, leaseUntil }) => {
  const { due, bindings } = dueUpTo(rooms, now);
  const rows = await reader.raw<RawRow[]>(
    `with picked as (${due})
     select deliveries.tenant_id, deliveries.id, event_id, hook_id, attempts, trigger, times_disabled, deliveries.created_at,
       was_leased, events.type as event_type, body, null as hook
     from picked
     join deliveries on deliveries.rowid = picked.head
     join events on events.tenant_id = deliveries.tenant_id and events.id = event_id
     union all
     select null, null, null, null, null, null, null, null, null, null, null, json_object('tenantId', tenant_id, 'id', id,
       'config', json(config), 'headersEncrypted', headers_encrypted, 'signingKeyEncrypted', signing_key_encrypted, 'oldSigningKeys', json(old_signing_keys),
       'enabled', json(iif(enabled, 'true', 'false')), 'failingSince', failing_since, 'goneCount', gone_count, 'timesDisabled', times_disabled)
     from hooks where (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?))`,
    [...bindings, JSON.stringify(rooms.map(({ tenantId, hookId }) => [tenantId, hookId]))],
  );
  const hooks = new Set(rows.flatMap(({ hook }) => (hook ? [JSON.parse(hook).id as string] : [])));
  const keys = rows.filter(({ hookId }) => hooks.has(hookId)).map(({ tenantId, id }) => [tenantId, id]);
  if (keys.length === 0) return [];
  const taken = await byKey((db) =>
    db.raw<{ id: string }[]>(
      `update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
       where (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?)) and due_at <= ? and ${FREE}
       returning id`,
      [owner, leaseUntil, JSON.stringify(keys), now, now],
    ),
  );
  const ids = new Set(taken.map(({ id }) => id));
  return rows
    .filter(({ hook, id }) => hook || ids.has(id))
    .map((row) => ({ ...row, hook: row.hook && JSON.parse(row.hook), wasLeased: row.wasLeased === 1 }));
};

/** A delivery of the batch that this process still holds. A batch is one JSON text: SQLite limits parameters. */
const HELD = `deliveries.tenant_id = value ->> 0 and deliveries.id = value ->> 1
  and deliveries.state = 'delivering' and deliveries.lease_owner = new.owner`;

/**
 * For SQLite's writer connection only. One insert into this view settles a batch of deliveries in a single call that
 * commits by itself. The attempts are written first because they copy columns of the deliveries.
 *
 * `made`: `[tenant, delivery, event type, started at, duration ms, status, error class, error message, reply]`;
 * `delivered`: `[tenant, delivery]`; `changed`: `[tenant, delivery, state, due at, is attempted, status]`.
 *
 * Rejected: updating the rows of a subquery by their `rowid`. SQLite scans all deliveries for each changed row: 1.4 s
 * for 150 rows of 20,000, with every other write waiting.
 */
export const SETTLE_VIEW = `
  create temp view settle as select null as owner, null as made, null as delivered, null as changed;
  create temp trigger settle_all instead of insert on settle begin
    insert into attempts (tenant_id, delivery_id, event_id, event_type, hook_id, number, trigger,
      started_at, duration_ms, status, error_class, error_message, response_body, is_success)
    select tenant_id, deliveries.id, event_id, value ->> 2, hook_id, attempts + 1, trigger, value ->> 3,
      value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 6 is null
    from json_each(new.made) cross join deliveries on ${HELD};
    delete from deliveries
    where rowid in (select deliveries.rowid from json_each(new.delivered) cross join deliveries on ${HELD});
    update deliveries set state = value ->> 2, lease_owner = null, lease_until = null,
      due_at = iif(value ->> 2 = 'waiting', coalesce(value ->> 3, due_at), null),
      attempts = attempts + (value ->> 4), last_status = iif(value ->> 4, value ->> 5, last_status)
    from json_each(new.changed)
    where ${HELD};
  end;`;

/** One statement, on the view of the writer connection. */
export const settle: Statements['settle'] = async ({ byKey }, settlements, owner) => {
  const made = settlements.flatMap(({ tenantId, id, attempt }) => {
    if (!attempt) return [];
    const { eventType, startedAt, durationMs, status, errorClass, errorMessage, responseBody } = attempt;
    return [[tenantId, id, eventType, startedAt, durationMs, status, errorClass, errorMessage, responseBody]];
  });
  const delivered = settlements.filter(({ state }) => state === 'delivered').map(({ tenantId, id }) => [tenantId, id]);
  const changed = settlements
    .filter(({ state }) => state !== 'delivered')
    .map(({ tenantId, id, state, dueAt = null, attempt }) => [
      ...[tenantId, id, state, dueAt, attempt !== undefined, attempt?.status ?? null],
    ]);
  const bindings = [owner, ...[made, delivered, changed].map((rows) => JSON.stringify(rows))];
  await byKey((db) => db.raw('insert into settle (owner, made, delivered, changed) values (?, ?, ?, ?)', bindings));
};
