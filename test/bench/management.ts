import { newShortId } from '../../src/base/ids.ts';
import { connect } from '../../src/database/connect.ts';
import { startPostgres } from '../support/postgres.ts';
import { addUsers } from './support/add-users.ts';
import { LoadDriver } from './support/load.ts';
import { playRounds } from './support/rounds.ts';
import { type Server, spawnServer } from './support/spawn-server.ts';
import { startUnderstudy, type Understudy } from './support/understudy.ts';

const ROUNDS = 7;
const CONNECTIONS = 16;
const USERS = 100_000;
const HOOKS = 20;
const PAGE_SIZE = 20;
/** Requests per contestant and round. */
const REQUESTS = { read: 2_000, list: 300, write: 600 };

/**
 * Measures reading a user, reading a page of users anywhere in 100,000, and creating a user with an event for 20
 * webhooks: on both databases with durable settings, compared with a minimal Express and Knex handler that sends the
 * same SQL to the same database. That handler checks no token, validates nothing and has one tenant. The webhooks'
 * endpoints are closed, so that writing deliveries is measured and sending them is not.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using postgres = await startPostgres({ durable: true });
  await using onSqlite = await startUnderstudy();
  await using onPostgres = await startUnderstudy(postgres.url);
  const sqlite = await contestOn(driver, onSqlite, { DATA_DIR: onSqlite.dataDir });
  const postgresql = await contestOn(driver, onPostgres, { DATABASE_URL: postgres.url });
  await using _rawOnSqlite = sqlite.raw;
  await using _rawOnPostgres = postgresql.raw;

  const { medians, rounds, ratio } = await playRounds(ROUNDS, {
    readRawSqlite: sqlite.read(sqlite.raw),
    readSqlite: sqlite.read(onSqlite),
    readRawPostgres: postgresql.read(postgresql.raw),
    readPostgres: postgresql.read(onPostgres),
    listRawSqlite: sqlite.list(sqlite.raw),
    listSqlite: sqlite.list(onSqlite),
    listRawPostgres: postgresql.list(postgresql.raw),
    listPostgres: postgresql.list(onPostgres),
    writeRawSqlite: sqlite.write(sqlite.raw),
    writeSqlite: sqlite.write(onSqlite),
    writeRawPostgres: postgresql.write(postgresql.raw),
    writePostgres: postgresql.write(onPostgres),
  });

  const bySqlite = {
    readVsRaw: ratio('readSqlite', 'readRawSqlite'),
    listVsRaw: ratio('listSqlite', 'listRawSqlite'),
    writeVsRaw: ratio('writeSqlite', 'writeRawSqlite'),
  };
  const byPostgres = {
    readVsRaw: ratio('readPostgres', 'readRawPostgres'),
    listVsRaw: ratio('listPostgres', 'listRawPostgres'),
    writeVsRaw: ratio('writePostgres', 'writeRawPostgres'),
  };
  return {
    /** Returns the worse ratio of the two databases. */
    ratios: {
      readVsRaw: Math.min(bySqlite.readVsRaw, byPostgres.readVsRaw),
      listVsRaw: Math.min(bySqlite.listVsRaw, byPostgres.listVsRaw),
      writeVsRaw: Math.min(bySqlite.writeVsRaw, byPostgres.writeVsRaw),
    },
    bySqlite,
    byPostgres,
    connections: CONNECTIONS,
    users: USERS,
    hooks: HOOKS,
    perSecond: medians,
    rounds,
  };
}

async function contestOn(driver: LoadDriver, service: Understudy, env: Record<string, string>) {
  const database = connect({ databaseUrl: env.DATABASE_URL, dataDir: env.DATA_DIR ?? '', poolSize: 2 });
  const ids = await addUsers(database, USERS);
  await database.close();
  const config = { url: 'http://127.0.0.1:9/closed' };
  for (let index = 0; index < HOOKS; index += 1)
    await service.api.must('POST /hooks', { name: `Hook ${index}`, events: ['User.Created'], config });
  const raw = await spawnServer('test/bench/raw/management.ts', env);
  const headers = { authorization: `Bearer ${await service.api.token()}`, 'content-type': 'application/json' };
  const random = (below: number) => Math.floor(Math.random() * below);
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

  const get = async ({ origin }: Server, paths: string[]) => {
    const load = { origin, method: 'GET', path: '', paths, headers, bodies: [], connections: CONNECTIONS, status: 200 };
    return (await driver.send(load)).perSecond;
  };
  return {
    raw,
    read: (server: Server) => () =>
      get(
        server,
        times(REQUESTS.read, () => `/api/users/${ids[random(USERS)]}`),
      ),
    list: (server: Server) => () => {
      const pages = USERS / PAGE_SIZE;
      return get(
        server,
        times(REQUESTS.list, () => `/api/users?page=${1 + random(pages)}&page_size=${PAGE_SIZE}`),
      );
    },
    write:
      ({ origin }: Server) =>
      async () => {
        const bodies = times(REQUESTS.write, () => {
          const id = newShortId();
          return JSON.stringify({ username: `new_${id}`, primaryEmail: `${id}@example.org`, name: 'New' });
        });
        const load = { origin, path: '/api/users', headers, bodies, connections: CONNECTIONS, status: 200 };
        return (await driver.send(load)).perSecond;
      },
  };
}
