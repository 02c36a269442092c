import { setTimeout as pause } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/base/times.ts';

/** What such a test takes, on a busy machine too. */
const NEEDED_MS = 15_000;

/** Waits for the clock's next minute where little is left of this one: with each, rate limits count anew and jobs run. */
export async function withinOneMinute(): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < NEEDED_MS) await pause(leftMs + 50);
}
