const DAY_MS = 24 * 60 * 60 * 1000;

/** Seconds before each attempt, counted from the end of the one before: about 76 hours in all. */
export const DEFAULT_RETRY_SCHEDULE = [0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Up to a fifth is added, so that deliveries which failed together do not come back together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** Seconds before each attempt. */
  schedule: number[];
  /** Attempts made, the failed one included. */
  attempts: number;
  now: number;
  /** The receiver's `retry-after`, if it sent one. */
  retryAfter?: string | undefined;
  random?: () => number;
}

/**
 * When to try again, or undefined when the schedule has ended. Never earlier than the receiver asked:
 * jitter only adds, and of schedule and `retry-after` the later one counts, the latter up to a day.
 */
export function nextAttemptAt(failed: FailedAttempt): number | undefined {
  const { schedule, attempts, now, retryAfter, random = Math.random } = failed;
  const delaySeconds = schedule[attempts];
  if (delaySeconds === undefined) return undefined;
  const asked = Math.min(parseRetryAfter(retryAfter, now) ?? now, now + DAY_MS);
  const delayMs = Math.max(delaySeconds * 1000, asked - now);
  return Math.round(now + delayMs * (1 + JITTER * random()));
}

/** RFC 9110 §10.2.3: seconds or an HTTP date. Undefined when it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return now + Number(text) * 1000;
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN; // `Date.parse` finds a year in "-5".
  return Number.isNaN(date) ? undefined : date;
}
