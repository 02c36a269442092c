import { newOrderedId } from '../base/ids.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { EventType } from './catalogue.ts';

/** What is known of the request that caused an event. Absent members are left out of the payload. */
export interface EventFacts {
  userAgent: string | undefined;
  ip: string | undefined;
  interactionEvent?: 'Register' | 'SignIn' | 'ForgotPassword';
  sessionId?: string;
  applicationId?: string;
  application?: { id: string; type: string; name: string; description: string | null };
  path?: string;
  method?: string;
  status?: number;
  params?: Record<string, string>;
  matchedRoute?: string;
}

/** Bytes of JSON. A larger event carries the id of its `data` instead. */
const MAX_BODY_BYTES = 256 * 1024;

function truncated(payload: Record<string, unknown>): Record<string, unknown> {
  const { data, ...rest } = payload;
  const idOf = (value: unknown) => (value as { id?: string } | null)?.id;
  const kept = Object.fromEntries(Object.entries(rest).filter(([, value]) => !Array.isArray(value)));
  return { ...kept, data: Array.isArray(data) ? data.slice(0, 1_000).map(idOf) : { id: idOf(data) }, truncated: true };
}

/** Stored once, without `hookId`, which each attempt appends as the last member. */
function bodyOf(payload: Record<string, unknown>): string {
  const body = JSON.stringify(payload);
  return Buffer.byteLength(body) <= MAX_BODY_BYTES ? body : JSON.stringify(truncated(payload));
}

/**
 * Writes the event and one delivery per subscribed webhook through the caller's store, so the
 * change, the event and its deliveries commit together or not at all. The event is kept also when
 * nobody listens: it can be replayed to a webhook that is made later.
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
