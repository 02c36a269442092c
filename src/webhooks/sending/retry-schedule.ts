import { DAY_MS } from '../../base/times.ts';

/** Seconds between the end of an attempt and the next one; about 76 hours in total. */
export const DEFAULT_RETRY_SCHEDULE = [0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Up to 20% is added to each delay, so that deliveries that failed together are not all retried at once. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** Seconds before each attempt. */
  schedule: number[];
  /** Number of attempts made, including the failed one. */
  attempts: number;
  now: number;
  /** The response's `Retry-After` header. */
  retryAfter?: string | undefined;
  random?: () => number;
}

/**
 * Returns when to retry, or undefined if the schedule is exhausted. The later of the schedule and `Retry-After` (capped
 * at one day) applies, and jitter only adds, so a retry is never earlier than the endpoint asked.
 */
export function nextAttemptAt(failed: FailedAttempt): number | undefined {
  const { schedule, attempts, now, retryAfter, random = Math.random } = failed;
  const delaySeconds = schedule[attempts];
  if (delaySeconds === undefined) return undefined;
  const earliest = Math.min(parseRetryAfter(retryAfter, now) ?? now, now + DAY_MS);
  const delayMs = Math.max(delaySeconds * 1000, earliest - now);
  return Math.round(now + delayMs * (1 + JITTER * random()));
}

/** Parses `Retry-After` (RFC 9110 §10.2.3: seconds or an HTTP date). Returns undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return now + Number(text) * 1000;
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN; // `Date.parse` accepts "-5" as a year.
  return Number.isNaN(date) ? undefined : date;
}
