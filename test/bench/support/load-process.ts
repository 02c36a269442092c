import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Answers, Load } from './load.ts';

const pools = new Map<string, Pool>();

/** Connections stay open between rounds, like those of a busy client. */
function poolOf({ origin, connections }: Load): Pool {
  const key = `${origin} ${connections}`;
  const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1 });
  pools.set(key, pool);
  return pool;
}

/** Waits until a request is due. @returns the time from which it counts as waiting */
async function whenDue(dueAt: number): Promise<number> {
  const early = dueAt - performance.now();
  if (early <= 0) return dueAt; // All connections were busy.
  await pause(early);
  return performance.now();
}

async function send(load: Load): Promise<Answers> {
  const pool = poolOf(load);
  const bodies: string[] = [];
  const latenciesMs: number[] = [];
  const count = load.paths?.length ?? load.bodies.length;
  let next = 0;

  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const { headers, method = 'POST' } = load;
      const from = load.intervalMs ? await whenDue(started + index * load.intervalMs) : performance.now();
      const path = load.paths?.[index] ?? load.path;
      const { statusCode, body } = await pool.request({
        method: method as 'POST',
        path,
        headers,
        body: load.bodies[index] ?? null,
      });
      bodies[index] = await body.text();
      latenciesMs[index] = performance.now() - from;
      if (statusCode !== load.status) throw new Error(`${load.origin}${path}: ${statusCode} ${bodies[index]}`);
    }
  };

  const started = performance.now();
  await Promise.all(Array.from({ length: load.connections }, worker));
  return { perSecond: (count * 1000) / (performance.now() - started), latenciesMs, bodies };
}

process.on('message', async (load: Load) => {
  try {
    process.send?.(await send(load));
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
