import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * All are below the ports that the kernel assigns to connections (from 32768), any of which may be in use at any
 * moment.
 */
const FIRST_PORT = 12_000;
/** Each vitest worker has its own range, so that no other worker uses the port before the test listens. */
const PORTS_PER_WORKER = 4_000;
const MAX_WORKERS = 5;

const first = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % MAX_WORKERS) * PORTS_PER_WORKER;
let offset = randomInt(PORTS_PER_WORKER);

/** Returns a port that is free at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    offset = (offset + 1) % PORTS_PER_WORKER;
    if (await isFree(first + offset)) return first + offset;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port);
  try {
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
