import { fromKnex, PgBoss } from 'pg-boss';
import { newId } from '../../../src/base/ids.ts';
import { payloadOf } from './contestant.ts';
import { understudy } from './understudy.ts';

const TRANSACTIONS = 2_000;
const AT_ONCE = 16;

/**
 * Measures transactions per second of a small change with an event: BEGIN, the same INSERT, the event, COMMIT, on the
 * same database through the same pool.
 */
export async function enqueuePerSecond(postgresUrl: string, queue: 'understudy' | 'pgBoss'): Promise<number> {
  await using place = await understudy('http://127.0.0.1:1/', postgresUrl);
  await place.addHook('http://127.0.0.1:1/', 'User.Data.Updated');
  const role = () => ({ id: newId(), name: newId(), description: 'made by the benchmark', type: 'User' as const });

  const announce = async (n: number) => {
    await place.store.transaction(async (store) => {
      await store.add('roles', [{ ...role(), isDefault: false }]);
      await place.record(store, n);
    });
  };
  if (queue === 'understudy') return await perSecond(announce);

  const boss = new PgBoss({ connectionString: place.databaseUrl, max: 2 });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue('webhooks');
  const send = async (n: number) => {
    await place.database.transaction(async (db) => {
      await db('roles').insert({ ...role(), isDefault: false, tenantId: place.store.tenantId });
      await boss.send('webhooks', payloadOf(n), { db: fromKnex(db) });
    });
  };
  try {
    return await perSecond(send);
  } finally {
    await boss.stop({ graceful: false });
  }
}

async function perSecond(work: (n: number) => Promise<void>): Promise<number> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < TRANSACTIONS; n = next++) await work(n);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (TRANSACTIONS * 1000) / (performance.now() - started);
}
