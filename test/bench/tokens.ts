import pg from 'pg';
import { signIn } from '../../scripts/support/sign-in.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { startPostgres } from '../support/postgres.ts';
import { LoadDriver } from './support/load.ts';
import { processorMicros } from './support/processor-time.ts';
import { playRounds } from './support/rounds.ts';
import { spawnServer } from './support/spawn-server.ts';
import { startUnderstudy, type Understudy } from './support/understudy.ts';
import { exchangesOfManyTenants } from './tokens/many-tenants.ts';

const ROUNDS = 5;
const CONNECTIONS = 16;
/** Requests per contestant and round: most of a second for each. */
const REQUESTS = 1_500;
const RAW_REQUESTS = 8_000;
const TENANTS = 100;

/**
 * Measures tokens per second by exchange (plain, with an actor token, with a claims script, over 100 tenants) and by
 * client credentials, on both databases with durable settings, compared with a minimal Express and jose endpoint that
 * signs the same claims. Subject tokens are minted, the actor is signed in and the script is installed outside the
 * measured time.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using postgres = await startPostgres({ durable: true });
  await using raw = await spawnServer('test/bench/raw/tokens.ts');
  await using onSqlite = await startUnderstudy();
  await using onPostgres = await startUnderstudy(postgres.url);
  const sqlite = await contestants(driver, onSqlite);
  const postgresql = await contestants(driver, onPostgres);

  const many = { tenants: TENANTS, requests: REQUESTS, connections: CONNECTIONS };
  const tenantsSqlite = await exchangesOfManyTenants(driver, onSqlite, many);
  const tenantsPostgres = await exchangesOfManyTenants(driver, onPostgres, many);
  const { medians, rounds, ratio } = await playRounds(
    ROUNDS,
    {
      exchangeRaw: async () => send(driver, raw, RAW_REQUESTS, await sqlite.forms(1)),
      exchangeSqlite: sqlite.exchange,
      exchangePostgres: postgresql.exchange,
      exchangeActorRaw: async () => send(driver, raw, RAW_REQUESTS, await sqlite.forms(1, true)),
      exchangeActorSqlite: sqlite.exchangeWithActor,
      exchangeActorPostgres: postgresql.exchangeWithActor,
      exchangeScriptSqlite: sqlite.exchangeWithScript,
      exchangeScriptPostgres: postgresql.exchangeWithScript,
      clientCredentialsRaw: () => send(driver, raw, RAW_REQUESTS, [sqlite.machine]),
      clientCredentialsSqlite: sqlite.clientCredentials,
      clientCredentialsPostgres: postgresql.clientCredentials,
      exchangeTenantsSqlite: tenantsSqlite,
      exchangeTenantsPostgres: tenantsPostgres,
    },
    () => analyze(postgres.url),
  );

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
    connections: CONNECTIONS,
    tenants: TENANTS,
    processorMicrosPerExchange: {
      sqlite: sqlite.processorMicrosPerExchange(),
      postgres: postgresql.processorMicrosPerExchange(),
    },
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

/** @returns tokens per second; the forms are used in turn and repeated if there are fewer than requests */
async function send(
  driver: LoadDriver,
  { origin }: { origin: string },
  requests: number,
  forms: Record<string, string>[],
) {
  const texts = forms.map((form) => new URLSearchParams(form).toString());
  const { perSecond } = await driver.send({
    origin,
    path: '/oidc/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    bodies: Array.from({ length: requests }, (_, index) => texts[index % texts.length] ?? ''),
    connections: CONNECTIONS,
    status: 200,
  });
  return perSecond;
}

/** The rounds of one service: the requests, and their preparation. */
async function contestants(driver: LoadDriver, service: Understudy) {
  const { origin, api, credentials } = service;
  const { managementApiIndicator, demo } = credentials;
  const { tokens } = await signIn({ endpoint: origin, ...demo, scope: 'openid', person: demo.actor });
  const { script } = await api.must('GET /configs/jwt-customizer/access-token');
  await api.must('DELETE /configs/jwt-customizer/access-token');

  const actor = { actor_token: tokens.access_token, actor_token_type: ACCESS_TOKEN };
  const machine = {
    grant_type: 'client_credentials',
    client_id: credentials.machine.clientId,
    client_secret: credentials.machine.clientSecret,
    resource: managementApiIndicator,
    scope: 'all',
  };

  /** A subject token is single-use, so each round mints its own. */
  async function forms(count: number, withActor = false): Promise<Record<string, string>[]> {
    const { bodies } = await driver.send({
      origin,
      path: '/api/subject-tokens',
      headers: { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' },
      bodies: Array(count).fill(JSON.stringify({ userId: demo.subject.id, context: { ticketId: 'TICKET-7' } })),
      connections: CONNECTIONS,
      status: 201,
    });
    return bodies.map((body) => ({
      grant_type: TOKEN_EXCHANGE,
      client_id: demo.clientId,
      subject_token: JSON.parse(body).subjectToken,
      subject_token_type: ACCESS_TOKEN,
      ...(withActor && actor),
      resource: demo.resource,
      scope: demo.scope,
    }));
  }

  /** CPU time of the service's process in the last round. */
  let micros = Number.NaN;

  return {
    machine,
    forms,
    processorMicrosPerExchange: () => micros,
    async exchange() {
      const ready = await forms(REQUESTS);
      const before = await processorMicros(service.pid);
      const perSecond = await send(driver, service, REQUESTS, ready);
      micros = ((await processorMicros(service.pid)) - before) / REQUESTS;
      return perSecond;
    },
    exchangeWithActor: async () => send(driver, service, REQUESTS, await forms(REQUESTS, true)),
    async exchangeWithScript() {
      const ready = await forms(REQUESTS);
      await api.must('PUT /configs/jwt-customizer/access-token', { script });
      const perSecond = await send(driver, service, REQUESTS, ready);
      await api.must('DELETE /configs/jwt-customizer/access-token');
      return perSecond;
    },
    clientCredentials: () => send(driver, service, REQUESTS, [machine]),
  };
}
