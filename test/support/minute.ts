import { setTimeout as pause } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/base/times.ts';

/** The time that such a test needs, even on a busy host. */
const NEEDED_MS = 15_000;

/**
 * Waits for the clock's next minute if little is left of this one, because rate limits are reset and jobs run with each
 * minute.
 */
export async function withinOneMinute(): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < NEEDED_MS) await pause(leftMs + 50);
}
