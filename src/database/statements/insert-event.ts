import type { Knex } from 'knex';
import { TIME_DIGITS } from '../../base/ids.ts';
import { snakeCase } from '../drivers/names.ts';
import type { Row } from '../tables/index.ts';
import type { DatabaseKind } from './batched-read.ts';
import { insertFromRecords, recordsOf } from './insert-many.ts';
import { prepared } from './prepared.ts';
import { sqliteRows } from './sqlite-procedure.ts';

type EventRow = Row<'events'>;

const EVENT = ['tenantId', 'id', 'type', 'body', 'occurredAt'] as const;
const DELIVERY = 'tenant_id, id, event_id, hook_id, state, due_at, attempts, trigger, times_disabled, created_at';

/** Joins webhooks by the event's tenant, so no other tenant's webhook gets a delivery. */
const insertDeliveries = (from: string, random: string, subscribes: string) => `insert into deliveries (${DELIVERY})
    select hooks.tenant_id, substr(event.id, 1, ${TIME_DIGITS}) || ${random}, event.id, hooks.id, 'waiting',
      event.occurred_at, 0, 'schedule', hooks.times_disabled, event.occurred_at
    from ${from} cross join hooks
    where hooks.tenant_id = event.tenant_id and hooks.enabled and (hooks.event = event.type or ${subscribes})`;

const rows = sqliteRows(EVENT);

/**
 * SQL that inserts events (a parameter made by `eventRecords`) and a delivery, due at once, for each enabled webhook of
 * the event's tenant that subscribes to it, without loading the webhooks into this process. Delivery ids start with the
 * event's time, so they sort by it. The rest is 48 bits from PostgreSQL's strong random numbers, or from SQLite's
 * ChaCha20, which the operating system seeds.
 */
export const insertEvents = {
  /**
   * Two parts of a `with`. Waits for a webhook that is being deleted, and then skips it: without the lock, a delivery
   * could be created after the webhook's others were removed, and remain forever.
   */
  postgres: (events: string) => `event as (
    ${insertFromRecords('postgres', 'events', EVENT, events)} returning tenant_id, id, type, occurred_at
  ), delivery as (
    ${insertDeliveries('event', `substr(replace(gen_random_uuid()::text, '-', ''), 1, 12)`, 'hooks.events::jsonb @> to_jsonb(event.type)')}
    for key share of hooks
    returning tenant_id
  )`,
  /** Two statements. */
  sqlite: (events: string) => [
    `insert into events (${EVENT.map(snakeCase).join(', ')}) select * from ${rows.in(events)}`,
    insertDeliveries(
      `${rows.in(events)} event`,
      'lower(hex(randomblob(6)))',
      'event.type in (select value from json_each(hooks.events))',
    ),
  ],
};

export const eventRecords: Record<DatabaseKind, (events: readonly EventRow[]) => string> = {
  postgres: (events) => recordsOf('postgres', EVENT, events),
  sqlite: (events) => rows.of(events),
};

const POSTGRES = `with ${insertEvents.postgres('?')} select tenant_id from delivery`;
const [SQLITE_EVENT = '', SQLITE_DELIVERIES = ''] = insertEvents.sqlite('?');

/** Inserts an event and its deliveries. @returns the number of deliveries */
export const insertEvent: Record<DatabaseKind, (db: Knex, event: EventRow) => Promise<number>> = {
  postgres: async (db, event) => (await prepared(db, POSTGRES, [eventRecords.postgres([event])])).length,
  async sqlite(db, event) {
    const records = eventRecords.sqlite([event]);
    await prepared(db, SQLITE_EVENT, [records]);
    return (await prepared(db, `${SQLITE_DELIVERIES} returning id`, [records])).length;
  },
};
