import { connect } from '../../src/database/connect.ts';
import { startPostgres } from '../support/postgres.ts';
import { addUsers } from './support/add-users.ts';
import { LoadDriver } from './support/load.ts';
import { type Contestants, playRounds } from './support/rounds.ts';
import { spawnServer } from './support/spawn-server.ts';
import { startUnderstudy, type Understudy } from './support/understudy.ts';
import { OPERATIONS, type Operation, writer } from './writes/contestants.ts';

const ROUNDS = 5;
const USERS = 2_000;
const CALLERS = { One: 1, Sixteen: 16 };
/** Requests per contestant and round. */
const REQUESTS = { One: 120, Sixteen: 1_200, Raw: 320 };

type Callers = keyof typeof CALLERS;
type Kind = 'Sqlite' | 'Postgres';
type Name = `${Operation}${Callers | 'Raw'}${Kind}`;

/**
 * Measures creating a user, changing a user's name, assigning a role and minting a subject token, with one caller and
 * with sixteen, on both databases with durable settings. The sixteen are compared with a minimal Express and Knex
 * server that writes the same rows to the same database in one transaction each. Also the CPU time of each. There are no
 * webhooks.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using postgres = await startPostgres({ durable: true });
  await using onSqlite = await startUnderstudy();
  await using onPostgres = await startUnderstudy(postgres.url);
  await using rawOnSqlite = await spawnServer('test/bench/raw/writes.ts', { DATA_DIR: onSqlite.dataDir });
  await using rawOnPostgres = await spawnServer('test/bench/raw/writes.ts', { DATABASE_URL: postgres.url });
  const writeSqlite = writer(driver, onSqlite, { userIds: await usersOf(onSqlite) });
  const writePostgres = writer(driver, onPostgres, {
    userIds: await usersOf(onPostgres, postgres.url),
    databasePid: postgres.pid,
  });

  const contestants = {} as Contestants<Name>;
  for (const operation of OPERATIONS)
    for (const [kind, write, service, raw] of [
      ['Sqlite', writeSqlite, onSqlite, rawOnSqlite],
      ['Postgres', writePostgres, onPostgres, rawOnPostgres],
    ] as const) {
      for (const callers of ['One', 'Sixteen'] as const)
        contestants[`${operation}${callers}${kind}`] = () =>
          write(service, operation, REQUESTS[callers], CALLERS[callers]);
      contestants[`${operation}Raw${kind}`] = () => write(raw, operation, REQUESTS.Raw, CALLERS.Sixteen);
    }
  const { medians, rounds, ratio, micros, cpuRatio } = await playRounds(ROUNDS, contestants);

  const ratios = (suffix: string, of: (operation: Operation, kind: Kind) => number) =>
    Object.fromEntries(
      OPERATIONS.flatMap((operation) =>
        (['Sqlite', 'Postgres'] as const).map((kind) => [`${operation}${suffix}${kind}`, of(operation, kind)]),
      ),
    );
  return {
    ...ratios('SixteenVsOne', (operation, kind) => ratio(`${operation}Sixteen${kind}`, `${operation}One${kind}`)),
    ...ratios('VsRaw', (operation, kind) => ratio(`${operation}Sixteen${kind}`, `${operation}Raw${kind}`)),
    ...ratios('VsRawCpu', (operation, kind) => cpuRatio(`${operation}Sixteen${kind}`, `${operation}Raw${kind}`)),
    users: USERS,
    /** CPU microseconds per operation. */
    micros,
    perSecond: medians,
    rounds,
  };
}

async function usersOf({ dataDir }: Understudy, databaseUrl?: string): Promise<string[]> {
  const database = connect({ databaseUrl, dataDir, poolSize: 2 });
  const ids = await addUsers(database, USERS);
  await database.close();
  return ids;
}
