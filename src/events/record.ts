import { newOrderedId } from '../base/ids.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { EventType } from './catalogue.ts';

/** Maximum size of an event's JSON. A larger event contains only the ids of its `data`. */
const MAX_BODY_BYTES = 256 * 1024;

function truncated(payload: Record<string, unknown>): Record<string, unknown> {
  const { data, ...rest } = payload;
  const idOf = (value: unknown) => (value as { id?: string } | null)?.id;
  const kept = Object.fromEntries(Object.entries(rest).filter(([, value]) => !Array.isArray(value)));
  return { ...kept, data: Array.isArray(data) ? data.slice(0, 1_000).map(idOf) : { id: idOf(data) }, truncated: true };
}

/** Returns the body to store, without `hookId`, which each attempt appends as the last member. */
function bodyOf(payload: Record<string, unknown>): string {
  const body = JSON.stringify(payload);
  return Buffer.byteLength(body) <= MAX_BODY_BYTES ? body : JSON.stringify(truncated(payload));
}

/**
 * Writes an event and a delivery per subscribed webhook through the caller's store, so that they commit together with
 * the change or not at all. An event without subscribers is stored too, for replays to a webhook created later.
 *
 * @param facts about the request that caused the event; undefined ones are omitted from the payload
 */
export async function recordEvent(
  store: TenantStore,
  type: EventType,
  announced: Record<string, unknown>,
  facts: object,
  now: number,
): Promise<void> {
  const payload = { event: type, createdAt: new Date(now).toISOString(), ...facts, ...announced };
  await store.addEvent({ id: newOrderedId(now), type, body: bodyOf(payload), occurredAt: now });
}
