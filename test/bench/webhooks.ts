import { execute } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { hang, WebhookReceiver } from '../support/webhook-receiver.ts';
import { costed } from './support/costs.ts';
import { loadPeers } from './support/load-peers.ts';
import { type Figure, playRounds } from './support/rounds.ts';
import type { PackagedPeers } from './webhooks/contestant.ts';
import type { Name } from './webhooks/contestants.ts';
import { enqueuePerSecond } from './webhooks/enqueue.ts';
import { BenchReceiver } from './webhooks/receiver.ts';
import { RemoteContestant } from './webhooks/remote-contestant.ts';

const ROUNDS = 5;
/** For what is compared with ourselves, or takes its time by design. */
const FEWER_ROUNDS = 3;
const MESSAGES = 10_000;
/** V8 needs about this many deliveries until it has optimized a contestant's code. */
const WARM_UP_MESSAGES = 20_000;
const LATENCY_MESSAGES = 200;
const LATENCY_INTERVAL_MS = 25;

/**
 * Measures webhooks per second from a full table to a plain receiver in another process with 64 requests in flight,
 * compared with the PostgreSQL queues for Node and with POSTs alone, each with its CPU time and that of PostgreSQL; also with many parked deliveries and beside
 * endpoints that do not respond; the cost of enqueueing one with a change; and the time from commit to arrival under
 * low load. Each contestant has a process of its own; databases are durable, and clean for each round.
 */
export async function bench() {
  const { bossSender } = await loadPeers<PackagedPeers>('webhooks');
  await using postgres = await startPostgres({ durable: true });
  using receiver = await BenchReceiver.start();
  await using hanging = await WebhookReceiver.start({ behaviour: hang });
  const places = { url: receiver.url, postgresUrl: postgres.url, hangingUrl: hanging.url };

  /**
   * Returns deliveries per second. The database has statistics and is at rest before the clock starts. Afterwards every
   * delivery must be recorded as done.
   */
  const drain = async (contestant: RemoteContestant, messages: number): Promise<Figure> => {
    const databaseUrl = await contestant.open();
    await contestant.fill(messages);
    if (databaseUrl) for (const statement of ['vacuum analyze', 'checkpoint']) await execute(databaseUrl, statement);
    const arrival = await receiver.expect(messages);
    const figure = await costed({ service: contestant.pid, database: postgres.pid }, messages, async () => {
      const started = performance.now();
      await contestant.start();
      await arrival.last;
      const ms = performance.now() - started;
      await contestant.finish();
      return (messages * 1000) / ms;
    });
    await contestant.close();
    return figure;
  };

  /** Starts a process for each name, warms it up, plays rounds and ends it. */
  const race = async <N extends Name>(
    rounds: number,
    names: readonly N[],
    measure: (contestant: RemoteContestant) => Promise<number | Figure>,
    warmUp?: (contestant: RemoteContestant) => Promise<unknown>,
  ) => {
    const contestants = names.map((name) => new RemoteContestant(name, places));
    for (const contestant of contestants) await warmUp?.(contestant);
    const turns = contestants.map((contestant) => [contestant.name, () => measure(contestant)]);
    const result = await playRounds<N>(rounds, Object.fromEntries(turns));
    for (const contestant of contestants) contestant.end();
    return result;
  };
  const drainAll = <N extends Name>(rounds: number, names: readonly N[]) =>
    race(
      rounds,
      names,
      (contestant) => drain(contestant, MESSAGES),
      (contestant) => drain(contestant, WARM_UP_MESSAGES),
    );

  const bosses = ['pgBoss50x16', 'pgBoss100x4', 'pgBoss100x1'] as const;
  const drained = await drainAll(ROUNDS, ['raw', 'graphileTuned', 'understudyPostgres', ...bosses, 'graphileDefault']);
  const bestBoss = bosses.reduce((best, name) => (drained.medians[name] > drained.medians[best] ? name : best));
  const own = await drainAll(FEWER_ROUNDS, [
    'understudyPostgres',
    'understudyParked',
    'understudyBesideDead',
    'raw',
    'understudySqlite',
  ]);

  const enqueued = await playRounds(FEWER_ROUNDS, {
    understudy: () => enqueuePerSecond(postgres.url),
    pgBossSend: () => enqueuePerSecond(postgres.url, bossSender),
  });

  /** Returns a rate, as rounds need it: 1000 ms / p50 of the time from commit to arrival, for messages 25 ms apart. */
  const pace = async (contestant: RemoteContestant): Promise<number> => {
    await contestant.open();
    await contestant.start();
    const arrival = await receiver.expect(LATENCY_MESSAGES);
    const sentAt = await contestant.pace(LATENCY_MESSAGES, LATENCY_INTERVAL_MS);
    await arrival.last;
    const latencies = (await receiver.arrivals()).map(([at, n]) => at - (sentAt[n] as number));
    await contestant.close();
    return 1000 / (latencies.sort((a, b) => a - b)[LATENCY_MESSAGES / 2] as number);
  };
  const paced = await race(FEWER_ROUNDS, ['pacedPostgres', 'graphileDefault', 'pacedSqlite'], pace);

  const { ratio } = drained;
  return {
    ratios: {
      vsPgBoss: ratio('understudyPostgres', bestBoss),
      vsGraphileDefault: ratio('understudyPostgres', 'graphileDefault'),
      vsGraphileTuned: ratio('understudyPostgres', 'graphileTuned'),
      vsRaw: ratio('understudyPostgres', 'raw'),
      sqliteVsRaw: own.ratio('understudySqlite', 'raw'),
      parkedVsEmpty: own.ratio('understudyParked', 'understudyPostgres'),
      besideDeadVsAlone: own.ratio('understudyBesideDead', 'understudyPostgres'),
      enqueueVsPgBossSend: enqueued.ratio('understudy', 'pgBossSend'),
      latencyP50VsGraphile: paced.ratio('pacedPostgres', 'graphileDefault'),
    },
    bestPgBoss: bestBoss,
    /** CPU microseconds per delivery. */
    micros: { ...own.micros, ...drained.micros },
    deliveriesPerSecond: { ...own.medians, ...drained.medians },
    deliveryRounds: { ...own.rounds, ...drained.rounds },
    enqueuedPerSecond: enqueued.medians,
    enqueueRounds: enqueued.rounds,
    latencyP50Ms: Object.fromEntries(Object.entries(paced.medians).map(([name, rate]) => [name, 1000 / rate])),
    latencyRounds: paced.rounds,
  };
}
