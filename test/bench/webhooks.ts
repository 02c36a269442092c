import { startPostgres } from '../support/postgres.ts';
import { hang, WebhookReceiver } from '../support/webhook-receiver.ts';
import { loadPeers } from './support/load-peers.ts';
import { playRounds } from './support/rounds.ts';
import type { Contestant, PackagedPeers } from './webhooks/contestant.ts';
import { enqueuePerSecond } from './webhooks/enqueue.ts';
import { rawPosts } from './webhooks/raw-posts.ts';
import { BenchReceiver, instant } from './webhooks/receiver.ts';
import { understudy } from './webhooks/understudy.ts';

const ROUNDS = 5;
const MESSAGES = 10_000;
const PARKED = 100_000;
const LATENCY_MESSAGES = 200;
const LATENCY_INTERVAL_MS = 25;
/** Locks and completes jobs in batches: the fastest mode in its documentation. */
const GRAPHILE_TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/**
 * Measures webhooks per second from a full table to a plain receiver in another process with 64 requests in flight,
 * compared with the PostgreSQL queues for Node and with POSTs alone, also with many parked deliveries and beside
 * endpoints that do not respond; the cost of enqueueing one with a change; and the time from commit to arrival under
 * low load. Databases are durable, and clean for each round.
 */
export async function bench() {
  const { pgBoss, bossSender, graphileWorker } = await loadPeers<PackagedPeers>('webhooks');
  await using postgres = await startPostgres({ durable: true });
  using receiver = await BenchReceiver.start();
  await using hanging = await WebhookReceiver.start({ behaviour: hang });
  const { url } = receiver;

  const drain = async (make: Promise<Contestant>): Promise<number> => {
    await using contestant = await make;
    await contestant.fill(MESSAGES);
    const { arrivals } = await receiver.expect(MESSAGES);
    const started = performance.now();
    await contestant.start();
    await arrivals;
    return (MESSAGES * 1000) / (performance.now() - started);
  };

  const drained = await playRounds(ROUNDS, {
    raw: () => drain(rawPosts(url)),
    understudyPostgres: () => drain(understudy(url, postgres.url)),
    understudyParked: () => drain(understudy(url, postgres.url, { parked: PARKED })),
    understudyBesideDead: () =>
      drain(understudy(url, postgres.url, { deadUrls: [hanging.url, 'http://127.0.0.1:1/'] })),
    understudySqlite: () => drain(understudy(url, undefined)),
    pgBoss50x16: () => drain(pgBoss(url, postgres.url, { batchSize: 50, localConcurrency: 16 })),
    pgBoss100x4: () => drain(pgBoss(url, postgres.url, { batchSize: 100, localConcurrency: 4 })),
    pgBoss100x1: () => drain(pgBoss(url, postgres.url, { batchSize: 100, localConcurrency: 1 })),
    graphileDefault: () => drain(graphileWorker(url, postgres.url, {})),
    graphileTuned: () => drain(graphileWorker(url, postgres.url, GRAPHILE_TUNED)),
  });
  const bosses = ['pgBoss50x16', 'pgBoss100x4', 'pgBoss100x1'] as const;
  const bestBoss = bosses.reduce((best, name) => (drained.medians[name] > drained.medians[best] ? name : best));

  const enqueued = await playRounds(ROUNDS, {
    understudy: () => enqueuePerSecond(postgres.url),
    pgBossSend: () => enqueuePerSecond(postgres.url, bossSender),
  });

  /** A rate, as rounds need it: 1000 ms / p50. */
  const pace = async (make: Promise<Contestant>): Promise<number> => 1000 / (await medianLatency(await make, receiver));
  const paced = await playRounds(ROUNDS, {
    understudyPostgres: () => pace(prepared(understudy(url, postgres.url), url)),
    understudySqlite: () => pace(prepared(understudy(url, undefined), url)),
    graphileDefault: () => pace(graphileWorker(url, postgres.url, {})),
  });

  const { ratio } = drained;
  return {
    ratios: {
      vsPgBoss: ratio('understudyPostgres', bestBoss),
      vsGraphileDefault: ratio('understudyPostgres', 'graphileDefault'),
      vsGraphileTuned: ratio('understudyPostgres', 'graphileTuned'),
      vsRaw: ratio('understudyPostgres', 'raw'),
      sqliteVsRaw: ratio('understudySqlite', 'raw'),
      parkedVsEmpty: ratio('understudyParked', 'understudyPostgres'),
      besideDeadVsAlone: ratio('understudyBesideDead', 'understudyPostgres'),
      enqueueVsPgBossSend: enqueued.ratio('understudy', 'pgBossSend'),
      latencyP50VsGraphile: paced.ratio('graphileDefault', 'understudyPostgres'), // Inverted: rates become times.
    },
    bestPgBoss: bestBoss,
    deliveriesPerSecond: drained.medians,
    deliveryRounds: drained.rounds,
    enqueuedPerSecond: enqueued.medians,
    enqueueRounds: enqueued.rounds,
    latencyP50Ms: Object.fromEntries(Object.entries(paced.medians).map(([name, rate]) => [name, 1000 / rate])),
    latencyRounds: paced.rounds,
  };
}

/** Creates one webhook that is subscribed to the events of `send`. */
async function prepared(make: ReturnType<typeof understudy>, url: string): Promise<Contestant> {
  const contestant = await make;
  await contestant.addHook(url, 'User.Data.Updated');
  return contestant;
}

/** Returns the milliseconds from commit to arrival at the receiver, for messages 25 ms apart. */
async function medianLatency(contestant: Contestant, receiver: BenchReceiver): Promise<number> {
  await using _ = contestant;
  await contestant.start();
  const { arrivals } = await receiver.expect(LATENCY_MESSAGES);
  const sentAt: number[] = [];
  for (let n = 0; n < LATENCY_MESSAGES; n += 1) {
    await contestant.send(n);
    sentAt[n] = instant();
    await new Promise((resolve) => setTimeout(resolve, LATENCY_INTERVAL_MS));
  }
  const latencies = (await arrivals).map(([at, n]) => at - (sentAt[n] as number));
  return latencies.sort((a, b) => a - b)[LATENCY_MESSAGES / 2] as number;
}
