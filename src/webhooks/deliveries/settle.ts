import type { Database } from '../../database/database.ts';
import type { DatabaseKind } from '../../database/statements/batched-read.ts';
import { prepared } from '../../database/statements/prepared.ts';
import { sqliteProcedure, sqliteRows } from '../../database/statements/sqlite-procedure.ts';
import type { AttemptRow, DeliveryRow } from '../../database/tables/index.ts';
import type { SettledState } from './state.ts';

/** The columns of an attempt that the database does not copy from its delivery. */
export type SettledAttempt = Omit<
  AttemptRow,
  'tenantId' | 'deliveryId' | 'eventId' | 'hookId' | 'number' | 'trigger' | 'isSuccess'
>;

/** The result for a claimed delivery. Delivered rows are deleted; their attempts remain. */
export interface Settlement extends Pick<DeliveryRow, 'tenantId' | 'id' | 'hookId'> {
  state: SettledState;
  /** Undefined leaves it unchanged. */
  dueAt?: number | undefined;
  /** Undefined if the row is released without an attempt. */
  attempt?: SettledAttempt | undefined;
}

/** A settlement as the statements read it. No name is that of a column of a delivery. */
const recordOf = ({ tenantId, id, state, dueAt, attempt }: Settlement) => ({
  tenant: tenantId,
  delivery: id,
  to_state: state,
  next_due_at: dueAt,
  is_attempted: attempt !== undefined,
  event_type: attempt?.eventType,
  started_at: attempt?.startedAt,
  duration_ms: attempt?.durationMs,
  status: attempt?.status,
  error_class: attempt?.errorClass,
  error_message: attempt?.errorMessage,
  response_body: attempt?.responseBody,
});
type Column = keyof ReturnType<typeof recordOf>;

const DELIVERY = ['tenant', 'delivery'] as const satisfies Column[];
const ATTEMPT = [
  'event_type',
  'started_at',
  'duration_ms',
  'status',
  'error_class',
  'error_message',
  'response_body',
] as const satisfies Column[];

/** Inserts an attempt for each row. The columns that it shares with its delivery are copied in the database. */
const insertAttempts = (number: string) => `insert into attempts (tenant_id, delivery_id, event_id, hook_id, trigger,
    number, is_success, ${ATTEMPT.join(', ')})
  select tenant, delivery, event_id, hook_id, trigger, ${number}, error_class is null, ${ATTEMPT.join(', ')}`;

/** True for a row that this process still holds. */
const isHeld = (owner: string) =>
  `deliveries.tenant_id = tenant and deliveries.id = delivery and deliveries.state = 'delivering' and lease_owner = ${owner}`;

const SETTLE = `with settled as materialized (
    select * from json_to_recordset(?) as settled (tenant text, delivery text, to_state text, next_due_at bigint,
      is_attempted boolean, event_type text, started_at bigint, duration_ms int, status int, error_class text,
      error_message text, response_body text)
  ), delivered as (
    delete from deliveries using settled where to_state = 'delivered' and ${isHeld('?')}
    returning event_id, hook_id, trigger, attempts + 1 as number, settled.*
  ), changed as (
    update deliveries set state = to_state, lease_owner = null, lease_until = null,
      due_at = case when to_state = 'waiting' then coalesce(next_due_at, due_at) end,
      attempts = attempts + is_attempted::int, last_status = case when is_attempted then status else last_status end
    from settled where to_state <> 'delivered' and ${isHeld('?')}
    returning event_id, hook_id, trigger, attempts as number, settled.*
  )
  ${insertAttempts('number')} from (select * from delivered union all select * from changed) made where is_attempted`;

const made = sqliteRows([...DELIVERY, ...ATTEMPT]);
const delivered = sqliteRows(DELIVERY);
const changed = sqliteRows([...DELIVERY, 'to_state', 'next_due_at', 'is_attempted', 'status']);

/**
 * The attempts are written first, because they copy columns of the deliveries.
 *
 * Rejected: updating the rows of a subquery by their `rowid`. SQLite scans all deliveries for each changed row: 1.4 s
 * for 150 rows of 20,000, with every other write waiting.
 */
const settleProcedure = sqliteProcedure(
  'settle',
  ['owner', 'made', 'delivered', 'changed'],
  [
    `${insertAttempts('attempts + 1')} from ${made.in('new.made')} cross join deliveries on ${isHeld('new.owner')}`,
    `delete from deliveries where rowid in (
      select deliveries.rowid from ${delivered.in('new.delivered')} cross join deliveries on ${isHeld('new.owner')})`,
    `update deliveries set state = to_state, lease_owner = null, lease_until = null,
      due_at = iif(to_state = 'waiting', coalesce(next_due_at, due_at), null),
      attempts = attempts + is_attempted, last_status = iif(is_attempted, status, last_status)
    from ${changed.in('new.changed')} where ${isHeld('new.owner')}`,
  ],
);

type Settle = (
  database: Pick<Database, 'byKey'>,
  settlements: readonly Settlement[],
  owner: string,
) => Promise<unknown>;

/** One statement. Skips deliveries that were removed with their webhook. */
export const settle: Record<DatabaseKind, Settle> = {
  postgres({ byKey }, settlements, owner) {
    const records = JSON.stringify(settlements.map(recordOf));
    return byKey((db) => prepared(db, SETTLE, [records, owner, owner]));
  },

  sqlite({ byKey }, settlements, owner) {
    const records = settlements.map(recordOf);
    const values = {
      owner,
      made: made.of(records.filter(({ is_attempted }) => is_attempted)),
      delivered: delivered.of(records.filter(({ to_state }) => to_state === 'delivered')),
      changed: changed.of(records.filter(({ to_state }) => to_state !== 'delivered')),
    };
    return byKey((db) => settleProcedure(db, values));
  },
};
