import type { Identified, Json, Owned } from './row.ts';

/** Rows of webhooks, events, replays, deliveries and attempts. */

export interface HookRow extends Identified {
  name: string;
  event: string | null;
  events: string[];
  /** An earlier release may have stored `headers` here. */
  config: { url: string; headers?: Record<string, string>; retries?: number };
  headersEncrypted: string | null;
  signingKeyEncrypted: string;
  oldSigningKeys: { signingKeyEncrypted: string; expiresAt: number }[];
  enabled: boolean;
  disabledReason: string | null;
  failingSince: number | null;
  lastFailureAt: number | null;
  goneCount: number;
  timesDisabled: number;
  createdAt: number;
}

export interface EventRow extends Identified {
  type: string;
  body: string;
  occurredAt: number;
}

export interface ReplayRow extends Identified {
  hookId: string;
  filter: Json;
  cursor: string | null;
  count: number;
  done: number;
  state: 'running' | 'done' | 'cancelled';
  createdAt: number;
}

export interface DeliveryRow extends Identified {
  eventId: string;
  hookId: string;
  state: 'waiting' | 'delivering' | 'dead' | 'cancelled';
  /** Null in the final states `dead` and `cancelled`. */
  dueAt: number | null;
  attempts: number;
  leaseUntil: number | null;
  leaseOwner: string | null;
  lastStatus: number | null;
  trigger: 'schedule' | 'manual' | 'replay';
  /** The webhook's `timesDisabled` at creation. A `waiting` delivery with less than the current one is cancelled. */
  timesDisabled: number;
  createdAt: number;
}

/** A webhook that was disabled or deleted, and whose deliveries still have to be cancelled or removed. */
export interface ClearingRow extends Identified {
  hookId: string;
}

/** Identified by its delivery and its number. */
export interface AttemptRow extends Owned {
  deliveryId: string;
  eventId: string;
  eventType: string;
  hookId: string;
  number: number;
  trigger: 'schedule' | 'manual' | 'replay';
  startedAt: number;
  durationMs: number;
  status: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
  isSuccess: boolean;
}
