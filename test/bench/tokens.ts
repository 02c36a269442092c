import pg from 'pg';
import { connect } from '../../src/database/connect.ts';
import { startPostgres } from '../support/postgres.ts';
import { LoadDriver } from './support/load.ts';
import { playRounds } from './support/rounds.ts';
import { spawnServer } from './support/spawn-server.ts';
import { startUnderstudy } from './support/understudy.ts';
import { contestants, type Form, tokenLoad } from './tokens/contestants.ts';
import { exchangesOfManyTenants } from './tokens/many-tenants.ts';

const ROUNDS = 5;
const CONNECTIONS = 16;
/** Requests per contestant and round: most of a second for each. */
const REQUESTS = 1_200;
const MINTS = 500;
const RAW_REQUESTS = 6_000;
const TENANTS = 100;

/**
 * Measures tokens per second by exchange (plain, with an actor token, with a claims script, over 100 tenants) and by
 * client credentials, subject tokens per second, and whole impersonations: mint, and exchange with an actor token and a
 * script. On both databases with durable settings, compared with a minimal Express and jose endpoint that signs the same
 * claims. Also the CPU time of each, of the service with its runners and of PostgreSQL, which the load generator does
 * not add to. Subject tokens of the exchanges are added, the actor is signed in and the script is installed outside the
 * measured time.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using postgres = await startPostgres({ durable: true });
  await using raw = await spawnServer('test/bench/raw/tokens.ts');
  await using onSqlite = await startUnderstudy();
  await using onPostgres = await startUnderstudy(postgres.url);
  const databases = {
    sqlite: connect({ databaseUrl: undefined, dataDir: onSqlite.dataDir, poolSize: 2 }),
    postgres: connect({ databaseUrl: postgres.url, dataDir: '', poolSize: 2 }),
  };
  const load = { requests: REQUESTS, mints: MINTS, connections: CONNECTIONS };
  const sqlite = await contestants(driver, onSqlite, {
    ...load,
    database: databases.sqlite,
    processes: { service: onSqlite.pid },
  });
  const postgresql = await contestants(driver, onPostgres, {
    ...load,
    database: databases.postgres,
    processes: { service: onPostgres.pid, database: postgres.pid },
  });

  const many = { tenants: TENANTS, requests: REQUESTS, connections: CONNECTIONS };
  const tenantsSqlite = await exchangesOfManyTenants(driver, onSqlite, databases.sqlite, many);
  const tenantsPostgres = await exchangesOfManyTenants(driver, onPostgres, databases.postgres, many);
  const sendRaw = async (forms: Form[]) =>
    (await driver.send(tokenLoad(raw.origin, RAW_REQUESTS, CONNECTIONS, forms))).perSecond;
  const { medians, rounds, ratio, micros, cpuRatio } = await playRounds(
    ROUNDS,
    {
      exchangeRaw: async () => sendRaw(await sqlite.forms(1)),
      exchangeSqlite: sqlite.exchange,
      exchangePostgres: postgresql.exchange,
      exchangeActorRaw: async () => sendRaw(await sqlite.forms(1, { withActor: true })),
      exchangeActorSqlite: sqlite.exchangeWithActor,
      exchangeActorPostgres: postgresql.exchangeWithActor,
      exchangeScriptSqlite: sqlite.exchangeWithScript,
      exchangeScriptPostgres: postgresql.exchangeWithScript,
      clientCredentialsRaw: () => sendRaw([sqlite.machine]),
      clientCredentialsSqlite: sqlite.clientCredentials,
      clientCredentialsPostgres: postgresql.clientCredentials,
      exchangeTenantsSqlite: tenantsSqlite,
      exchangeTenantsPostgres: tenantsPostgres,
      mintSqlite: sqlite.mint,
      mintPostgres: postgresql.mint,
      wholeSqlite: sqlite.whole,
      wholePostgres: postgresql.whole,
    },
    () => analyze(postgres.url),
  );
  await databases.sqlite.close();
  await databases.postgres.close();

  return {
    ratios: {
      exchangeSqliteVsRaw: ratio('exchangeSqlite', 'exchangeRaw'),
      exchangePostgresVsRaw: ratio('exchangePostgres', 'exchangeRaw'),
      exchangeActorSqliteVsRaw: ratio('exchangeActorSqlite', 'exchangeActorRaw'),
      exchangeActorPostgresVsRaw: ratio('exchangeActorPostgres', 'exchangeActorRaw'),
      exchangeScriptSqliteVsRaw: ratio('exchangeScriptSqlite', 'exchangeRaw'),
      exchangeScriptPostgresVsRaw: ratio('exchangeScriptPostgres', 'exchangeRaw'),
      exchangeTenantsSqliteVsRaw: ratio('exchangeTenantsSqlite', 'exchangeRaw'),
      exchangeTenantsPostgresVsRaw: ratio('exchangeTenantsPostgres', 'exchangeRaw'),
      clientCredentialsSqliteVsRaw: ratio('clientCredentialsSqlite', 'clientCredentialsRaw'),
      clientCredentialsPostgresVsRaw: ratio('clientCredentialsPostgres', 'clientCredentialsRaw'),
    },
    wholeVsClientCredentialsCpuSqlite: cpuRatio('wholeSqlite', 'clientCredentialsSqlite'),
    wholeVsClientCredentialsCpuPostgres: cpuRatio('wholePostgres', 'clientCredentialsPostgres'),
    mintVsClientCredentialsCpuSqlite: cpuRatio('mintSqlite', 'clientCredentialsSqlite'),
    mintVsClientCredentialsCpuPostgres: cpuRatio('mintPostgres', 'clientCredentialsPostgres'),
    actorVsExchangeCpuSqlite: cpuRatio('exchangeActorSqlite', 'exchangeSqlite'),
    actorVsExchangeCpuPostgres: cpuRatio('exchangeActorPostgres', 'exchangePostgres'),
    connections: CONNECTIONS,
    tenants: TENANTS,
    /** CPU microseconds per operation. */
    micros,
    perSecond: medians,
    rounds,
  };
}

/** Does what autovacuum does within a minute, so that no round runs with query plans for empty tables. */
async function analyze(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('analyze');
  await client.end();
}
