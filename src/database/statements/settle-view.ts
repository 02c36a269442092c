/** The rows of a batch that are still held. It is one JSON text: SQLite counts parameters, and a batch has no bound. */
const HELD = `deliveries on tenant_id = value ->> 0 and deliveries.id = value ->> 1 and state = 'delivering'
  and lease_owner = new.owner`;

/**
 * For SQLite's writer alone: one insert into this view settles a batch of deliveries (`webhooks/deliveries-sqlite.ts`),
 * in one call that commits by itself. The attempts first, which take from the deliveries what these know.
 *
 * `made`: `[tenant, delivery, event type, started at, duration ms, status, error class, error message, reply]`;
 * `delivered`: `[tenant, delivery]`; `changed`: `[tenant, delivery, state, due at, is attempted, status]`.
 */
export const SETTLE_VIEW = `
  create temp view settle as select null as owner, null as made, null as delivered, null as changed;
  create temp trigger settle_all instead of insert on settle begin
    insert into attempts (tenant_id, delivery_id, event_id, event_type, hook_id, number, trigger,
      started_at, duration_ms, status, error_class, error_message, response_body, is_success)
    select tenant_id, deliveries.id, event_id, value ->> 2, hook_id, attempts + 1, trigger, value ->> 3,
      value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 6 is null
    from json_each(new.made) cross join ${HELD};
    delete from deliveries
    where rowid in (select deliveries.rowid from json_each(new.delivered) cross join ${HELD});
    update deliveries set state = settled.state, lease_owner = null, lease_until = null,
      due_at = iif(settled.state = 'waiting', coalesce(settled.due_at, deliveries.due_at), null),
      attempts = deliveries.attempts + is_attempted, last_status = iif(is_attempted, status, last_status)
    from (
      select deliveries.rowid as head, value ->> 2 as state, value ->> 3 as due_at, value ->> 4 as is_attempted,
        value ->> 5 as status
      from json_each(new.changed) cross join ${HELD}
    ) settled
    where deliveries.rowid = head;
  end;`;
