import { flag, id, json, key, number, of, orDefault, orNull, sealed, table, text } from './table.ts';

/** A delivered delivery has no row. */
type RowState = 'waiting' | 'delivering' | 'dead' | 'cancelled';

/** Selects the events of a replay. */
interface ReplayFilter {
  /** Times of the events, both included. */
  since: number;
  until: number;
  events: string[];
  /** Only events with a delivery to the webhook in this state. Without it, also events older than the webhook. */
  state?: RowState | 'delivered' | undefined;
}

const trigger = of<'schedule' | 'manual' | 'replay'>(text);

export const webhookTables = {
  hooks: table({
    id,
    name: text,
    event: orNull(text),
    events: of<string[]>(json),
    /** An earlier release may have stored `headers` here. */
    config: of<{ url: string; headers?: Record<string, string>; retries?: number }>(json),
    headersEncrypted: orNull(sealed),
    signingKeyEncrypted: sealed,
    oldSigningKeys: of<{ signingKeyEncrypted: string; expiresAt: number }[]>(json),
    enabled: orDefault(flag, true),
    disabledReason: orNull(text),
    failingSince: orNull(number),
    lastFailureAt: orNull(number),
    /** Failures since the last success, by all processes. */
    failuresInARow: orDefault(number, 0),
    /** Null if there was no response. */
    lastFailureStatus: orNull(number),
    lastFailureError: orNull(text),
    /** No process sends before this time, unless `resumedAt` changes: a process that sees a later one tries again. */
    pausedUntil: orNull(number),
    resumedAt: orNull(number),
    goneCount: orDefault(number, 0),
    timesDisabled: orDefault(number, 0),
    createdAt: number,
  }),
  events: table({ id, type: text, body: text, occurredAt: number }),
  replays: table({
    id,
    hookId: text,
    filter: of<ReplayFilter>(json),
    cursor: orNull(text),
    count: number,
    done: orDefault(number, 0),
    state: of<'running' | 'done' | 'cancelled'>(text),
    createdAt: number,
  }),
  deliveries: table({
    id,
    eventId: text,
    hookId: text,
    state: of<RowState>(text),
    /** Null in the final states `dead` and `cancelled`. */
    dueAt: orNull(number),
    attempts: orDefault(number, 0),
    leaseUntil: orNull(number),
    leaseOwner: orNull(text),
    lastStatus: orNull(number),
    trigger: orDefault(trigger, 'schedule'),
    /** The webhook's `timesDisabled` at creation. A `waiting` delivery with less than the current one is cancelled. */
    timesDisabled: orDefault(number, 0),
    createdAt: number,
  }),
  attempts: table({
    deliveryId: key(text),
    eventId: text,
    eventType: text,
    hookId: text,
    number: key(number),
    trigger,
    startedAt: number,
    durationMs: number,
    status: orNull(number),
    errorClass: orNull(text),
    errorMessage: orNull(text),
    responseBody: orNull(text),
    isSuccess: flag,
  }),
  /** Webhooks that were disabled or deleted, and whose deliveries still have to be cancelled or removed. */
  clearings: table({ id, hookId: text }),
};
