import { newId } from '../../../src/base/ids.ts';
import { type PackagedPeers, payloadOf } from './contestant.ts';
import { understudy } from './understudy.ts';

const TRANSACTIONS = 2_000;
const AT_ONCE = 16;

/**
 * Measures transactions per second of a small change with an event: BEGIN, the same INSERT, the event, COMMIT, on the
 * same database through the same pool. The queue is our own, or pg-boss if it is given.
 */
export async function enqueuePerSecond(postgresUrl: string, bossSender?: PackagedPeers['bossSender']): Promise<number> {
  await using place = await understudy('http://127.0.0.1:1/', postgresUrl, { isSubscribed: true });
  const role = () => ({ id: newId(), name: newId(), description: 'made by the benchmark', type: 'User' as const });

  const announce = async (n: number) => {
    await place.store.transaction(async (store) => {
      await store.add('roles', [{ ...role(), isDefault: false }]);
      await place.record(store, n);
    });
  };
  if (!bossSender) return await perSecond(announce);

  await using boss = await bossSender(place.databaseUrl as string);
  const send = async (n: number) => {
    await place.database.transaction(async (db) => {
      await db('roles').insert({ ...role(), isDefault: false, tenantId: place.store.tenantId });
      await boss.send(db, payloadOf(n));
    });
  };
  return await perSecond(send);
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
