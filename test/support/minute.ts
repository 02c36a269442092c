import { setTimeout as pause } from 'node:timers/promises';

const MINUTE_MS = 60_000;

/** Waits, where little is left of the clock's minute: with a new one rate limits count anew and jobs run. */
export async function withinOneMinute(neededMs = 15_000): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < neededMs) await pause(leftMs + 50);
}
