import type { Knex } from 'knex';
import { TIME_DIGITS } from '../../base/ids.ts';
import type { Row } from '../tables/index.ts';
import type { DatabaseKind } from './batched-read.ts';
import { prepared } from './prepared.ts';

const DELIVERY = '(tenant_id, id, event_id, hook_id, state, due_at, attempts, trigger, times_disabled, created_at)';

/** Selects the deliveries to insert. Joins webhooks by the event's tenant, so no other tenant's webhook gets one. */
const deliveries = (
  random: string,
) => `select hooks.tenant_id, substr(event.id, 1, ${TIME_DIGITS}) || ${random}, event.id, hooks.id, 'waiting',
  event.occurred_at, 0, 'schedule', hooks.times_disabled, event.occurred_at from event join hooks on hooks.tenant_id = event.tenant_id`;

/**
 * One statement, planned once per connection. Waits for a webhook that is being deleted, and then skips it: without the
 * lock, a delivery could be created after the webhook's others were removed, and remain forever.
 */
const POSTGRES = `with event as (
    insert into events (tenant_id, id, type, body, occurred_at) values (?, ?, ?, ?, ?)
    returning tenant_id, id, type, occurred_at
  )
  insert into deliveries ${DELIVERY}
  ${deliveries(`substr(replace(gen_random_uuid()::text, '-', ''), 1, 12)`)}
  where hooks.enabled and (hooks.event = event.type or hooks.events::jsonb @> to_jsonb(event.type))
  for key share of hooks
  returning id`;

const SQLITE_EVENT = 'insert into events (tenant_id, id, type, body, occurred_at) values (?, ?, ?, ?, ?)';
const SQLITE_DELIVERIES = `with event as (select tenant_id, id, type, occurred_at from events where tenant_id = ? and id = ?)
  insert into deliveries ${DELIVERY}
  ${deliveries('lower(hex(randomblob(6)))')}
  where hooks.enabled and (hooks.event = event.type or event.type in (select value from json_each(hooks.events)))
  returning id`;

/**
 * Inserts an event, and a delivery due at once for each enabled webhook of its tenant that subscribes to it, without
 * loading the webhooks into this process. Delivery ids start with the event's time, so they sort by it. The rest is 48
 * bits from PostgreSQL's strong random numbers, or from SQLite's ChaCha20, which the operating system seeds.
 *
 * @returns the number of deliveries
 */
export const insertEvent: Record<DatabaseKind, (db: Knex, event: Row<'events'>) => Promise<number>> = {
  async postgres(db, { tenantId, id, type, body, occurredAt }) {
    return (await prepared(db, POSTGRES, [tenantId, id, type, body, occurredAt])).length;
  },
  async sqlite(db, { tenantId, id, type, body, occurredAt }) {
    await prepared(db, SQLITE_EVENT, [tenantId, id, type, body, occurredAt]);
    return (await prepared(db, SQLITE_DELIVERIES, [tenantId, id])).length;
  },
};
