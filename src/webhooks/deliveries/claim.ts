import type { Database } from '../../database/database.ts';
import { snakeCase } from '../../database/drivers/names.ts';
import type { DatabaseKind } from '../../database/statements/batched-read.ts';
import { jsonOn } from '../../database/statements/json.ts';
import { prepared } from '../../database/statements/prepared.ts';
import type { DeliveryRow, HookRow } from '../../database/tables/index.ts';
import { FREE, type HookKey } from './due.ts';

/** A webhook, and how many of its rows to claim. */
export interface HookRoom extends HookKey {
  room: number;
}

/** The columns of a webhook that an attempt needs. */
const HOOK = [
  'tenantId',
  'id',
  'config',
  'headersEncrypted',
  'signingKeyEncrypted',
  'oldSigningKeys',
  'enabled',
  'failingSince',
  'goneCount',
  'timesDisabled',
  'resumedAt',
] as const satisfies (keyof HookRow)[];
export type ClaimedHook = Pick<HookRow, (typeof HOOK)[number]>;

/** The columns of a delivery that an attempt needs. */
const DELIVERY = [
  'tenantId',
  'id',
  'eventId',
  'hookId',
  'attempts',
  'trigger',
  'timesDisabled',
  'createdAt',
] as const satisfies (keyof DeliveryRow)[];
const deliveryColumns = DELIVERY.map((name) => `deliveries.${snakeCase(name)}`).join(', ');

/** A claimed delivery with everything an attempt needs, read at the same time. */
export interface ClaimedDelivery extends Pick<DeliveryRow, (typeof DELIVERY)[number]> {
  /** True if another process held the row and its lease expired. */
  wasLeased: boolean;
  eventType: string;
  body: string;
  /** Shared by all rows of a claim. */
  hook: ClaimedHook;
  leaseUntil: number;
}

type Columns = Omit<ClaimedDelivery, 'hook' | 'leaseUntil'>;
type Nulls = { [Column in keyof Columns]: null };

/** A row is a delivery or only a webhook, so that one statement returns the deliveries and each webhook once. */
type ClaimedRow = (Columns & { hook: null }) | (Nulls & { hook: ClaimedHook });

/** A row as SQLite returns it: JSON as text, booleans as 0 and 1. */
type SqliteRow = (Omit<Columns, 'wasLeased'> & { wasLeased: 0 | 1; hook: null }) | (Nulls & { hook: string });

/** Selects from webhooks what follows the rows of deliveries in a result. */
const hookOnly = (hook: string) =>
  `select ${[...DELIVERY, 'wasLeased', 'eventType', 'body'].map(() => 'null').join(', ')}, ${hook}`;

/**
 * `materialized`, because a limit with `skip locked` may otherwise run more than once and claim too many rows. The
 * commit does not wait for the disk: if PostgreSQL crashes, a lost claim leaves its row waiting.
 *
 * Updates rows by `ctid`, which the row lock keeps valid. Rejected: updating by id. While the table is small PostgreSQL
 * may use any index that starts with the tenant, and read all of the tenant's rows for each one.
 */
const CLAIM = `with rooms as materialized (
    select room, tenant_id, id as hook_id, ${jsonOn('postgres').rowOf(HOOK)} as hook
    from (select set_config('synchronous_commit', 'off', true)) commit_soon
    cross join unnest(?::text[], ?::text[], ?::int[]) as rooms (tenant, hook, room)
    join hooks on hooks.tenant_id = rooms.tenant and hooks.id = rooms.hook
  ), picked as materialized (
    select due.* from rooms cross join lateral (
      select ctid as place, lease_until is not null as was_leased from deliveries
      where tenant_id = rooms.tenant_id and hook_id = rooms.hook_id and due_at <= ? and ${FREE}
      order by due_at, id limit rooms.room for update skip locked
    ) due
  ), claimed as (
    update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
    from picked where deliveries.ctid = picked.place
    returning ${deliveryColumns}, was_leased
  )
  select claimed.*, events.type as event_type, events.body, null::json as hook
  from claimed join events on events.tenant_id = claimed.tenant_id and events.id = claimed.event_id
  union all ${hookOnly('hook')} from rooms`;

const SQLITE_HOOK = jsonOn('sqlite').rowOf(HOOK);

/**
 * The rows of a webhook are a list of `rowid`, because SQLite has no lateral join; a limit cannot depend on a row there
 * either, so a longer list is cut by position. Rejected: one select per webhook, which takes twice as long for 50.
 */
const SQLITE_DUE = `select ${deliveryColumns}, lease_until is not null as was_leased, events.type as event_type, body, null as hook
  from json_each(?) room
  cross join json_each((select json_group_array(head) from (
    select rowid as head from deliveries
    where tenant_id = room.value ->> 0 and hook_id = room.value ->> 1 and due_at <= ? and ${FREE}
    order by due_at, id limit ?))) due
  cross join deliveries on deliveries.rowid = due.value
  cross join events on events.tenant_id = deliveries.tenant_id and events.id = event_id
  where due.key < room.value ->> 2
  union all
  ${hookOnly(SQLITE_HOOK)} from hooks where (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?))`;

type ClaimRows = (
  database: Pick<Database, 'reader' | 'byKey'>,
  rooms: HookRoom[],
  lease: { owner: string; now: number; leaseUntil: number },
) => Promise<ClaimedRow[]>;

export const claim: Record<DatabaseKind, ClaimRows> = {
  postgres({ byKey }, rooms, { owner, now, leaseUntil }) {
    const tenants = rooms.map(({ tenantId }) => tenantId);
    const hooks = rooms.map(({ hookId }) => hookId);
    const limits = rooms.map(({ room }) => room);
    return byKey((db) => prepared(db, CLAIM, [tenants, hooks, limits, now, now, owner, leaseUntil]));
  },

  /**
   * Reads on a reader connection, then updates only the rows that are still free. SQLite has a single process, so no one
   * else claims in between, but a row may have been cancelled or removed. Rows of deleted webhooks are skipped.
   */
  async sqlite({ reader, byKey }, rooms, { owner, now, leaseUntil }) {
    const wanted = rooms.map(({ tenantId, hookId, room }) => [tenantId, hookId, room]);
    const most = Math.max(...rooms.map(({ room }) => room));
    const records = JSON.stringify(wanted);
    const found = await prepared<SqliteRow>(reader, SQLITE_DUE, [records, now, now, most, records]);
    const rows = found.map(
      (row): ClaimedRow =>
        row.hook === null ? { ...row, wasLeased: row.wasLeased === 1 } : { ...row, hook: JSON.parse(row.hook) },
    );
    const hooks = new Set(rows.flatMap(({ hook }) => hook?.id ?? []));
    const keys = rows.flatMap(({ tenantId, id, hookId }) => (hookId && hooks.has(hookId) ? [[tenantId, id]] : []));
    if (keys.length === 0) return [];
    const taken = await byKey((db) =>
      prepared<{ id: string }>(
        db,
        `update deliveries set state = 'delivering', lease_owner = ?, lease_until = ?
         where (tenant_id, id) in (select value ->> 0, value ->> 1 from json_each(?)) and due_at <= ? and ${FREE}
         returning id`,
        [owner, leaseUntil, JSON.stringify(keys), now, now],
      ),
    );
    const ids = new Set(taken.map(({ id }) => id));
    return rows.filter(({ hook, id }) => hook || ids.has(id));
  },
};
