import { Pool } from 'undici';
import type { Answers, Load } from './load.ts';

const pools = new Map<string, Pool>();

/** Connections stay open between rounds, like those of a busy client. */
function poolOf({ origin, connections }: Load): Pool {
  const pool = pools.get(origin) ?? new Pool(origin, { connections, pipelining: 1 });
  pools.set(origin, pool);
  return pool;
}

async function send(load: Load): Promise<Answers> {
  const pool = poolOf(load);
  const bodies: string[] = [];
  const count = load.paths?.length ?? load.bodies.length;
  let next = 0;

  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const { headers, method = 'POST' } = load;
      const path = load.paths?.[index] ?? load.path;
      const { statusCode, body } = await pool.request({
        method: method as 'POST',
        path,
        headers,
        body: load.bodies[index] ?? null,
      });
      bodies[index] = await body.text();
      if (statusCode !== load.status) throw new Error(`${load.origin}${path}: ${statusCode} ${bodies[index]}`);
    }
  };

  const started = performance.now();
  await Promise.all(Array.from({ length: load.connections }, worker));
  return { perSecond: (count * 1000) / (performance.now() - started), bodies };
}

process.on('message', async (load: Load) => {
  try {
    process.send?.(await send(load));
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
