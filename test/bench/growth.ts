import { connect } from '../../src/database/connect.ts';
import { startPostgres } from '../support/postgres.ts';
import { Backlog, HOOKS } from './growth/backlog.ts';
import { type Latencies, PacedLoad, PER_SECOND, REQUESTS, type Request } from './growth/paced-load.ts';
import { addUsers } from './support/add-users.ts';
import { rounded } from './support/rounds.ts';
import { spawnServer } from './support/spawn-server.ts';
import { startUnderstudy } from './support/understudy.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Requests of each kind per round and backlog. The percentiles are those of all rounds. */
const COUNT = 400;
const USERS = 1_000;
const BACKLOGS = { Empty: 0, At20k: 20_000, At100k: 100_000 };

type Level = keyof typeof BACKLOGS;
type Milliseconds = Record<Level, Record<Request, number>>;

/**
 * Measures the p99 of exchanges, mints and user changes, each at a fixed rate, with no, 20,000 and 100,000 failing
 * deliveries waiting, on both databases with durable settings. The deliveries are due over ten minutes, so the service
 * sends some of them meanwhile, to endpoints that respond 503. In each round the backlog grows from empty. Every user
 * change also has a delivery to an endpoint that accepts it.
 */
export async function bench() {
  await using postgres = await startPostgres({ durable: true });
  await using receiver = await spawnServer('test/bench/growth/receiver.ts');
  const p99Ms = {
    sqlite: await measure('SQLite', receiver.origin),
    postgres: await measure('PostgreSQL', receiver.origin, postgres.url),
  };

  /** `exchangeP99At100k` and so on: ratios to the p99 without a backlog. */
  const ratiosOf = (databases: Milliseconds[]) =>
    Object.fromEntries(
      (['At100k', 'At20k'] as const).flatMap((level) =>
        REQUESTS.map((request) => {
          const ratios = databases.map((p99) => p99[level][request] / p99.Empty[request]);
          return [`${request}P99${level}`, rounded(Math.max(...ratios))];
        }),
      ),
    );
  return {
    /** The worse of the two databases. */
    ...ratiosOf([p99Ms.sqlite, p99Ms.postgres]),
    bySqlite: ratiosOf([p99Ms.sqlite]),
    byPostgres: ratiosOf([p99Ms.postgres]),
    p99Ms,
    perSecond: PER_SECOND,
    requests: ROUNDS * COUNT,
    hooks: HOOKS,
  };
}

/** @returns the p99 of each kind of request at each backlog */
async function measure(name: string, receiver: string, databaseUrl?: string): Promise<Milliseconds> {
  await using service = await startUnderstudy(databaseUrl);
  const database = connect({ databaseUrl, dataDir: service.dataDir, poolSize: 2 });
  const userIds = await addUsers(database, USERS);
  const config = { url: `${receiver}/healthy` };
  await service.api.must('POST /hooks', { name: 'Healthy', events: ['User.Data.Updated'], config });
  using load = new PacedLoad(service, database, userIds);
  const backlog = new Backlog(database, service.api, `${receiver}/failing`);
  await load.send(COUNT); // Warm-up.

  const levels = Object.keys(BACKLOGS) as Level[];
  const eachLevel = <T>(of: (level: Level) => T) =>
    Object.fromEntries(levels.map((level) => [level, of(level)])) as Record<Level, T>;
  const all = eachLevel((): Latencies => ({ exchange: [], mint: [], write: [] }));
  for (let round = 1; round <= ROUNDS; round += 1) {
    await backlog.clear();
    for (const level of levels) {
      await backlog.growTo(BACKLOGS[level]);
      const latencies = await load.send(COUNT);
      for (const request of REQUESTS) all[level][request].push(...latencies[request]);
      const texts = REQUESTS.map((request) => `${request} ${percentile(latencies[request], 0.99)} ms`);
      console.log(`round ${round}  ${name}, ${BACKLOGS[level]} waiting: p99 ${texts.join(', ')}`);
    }
  }
  await database.close();
  return eachLevel(
    (level) =>
      Object.fromEntries(REQUESTS.map((request) => [request, percentile(all[level][request], 0.99)])) as Record<
        Request,
        number
      >,
  );
}

const percentile = (figures: number[], share: number) =>
  rounded(figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN);
