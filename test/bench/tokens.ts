import { startPostgres } from '../support/postgres.ts';
import { LoadDriver } from './support/load.ts';
import { playRounds } from './support/rounds.ts';
import { spawnServer } from './support/spawn-server.ts';
import { startUnderstudy, type Understudy } from './support/understudy.ts';

const ROUNDS = 7;
const CONNECTIONS = 16;
/** Per contestant and round: the better part of a second for each. */
const REQUESTS = 2_000;
const RAW_REQUESTS = 8_000;

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const RESOURCE = 'https://orders.example.com/api';
const SCOPE = 'read:orders';

/**
 * Tokens per second, exchanged and by client credentials, on both databases with durable settings, beside a bare
 * Express and jose endpoint that signs the same claims. No claims script is active; subject tokens are minted, and
 * the actor signed in, outside the measured time.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using postgres = await startPostgres({ durable: true });
  await using raw = await spawnServer('test/bench/raw/tokens.ts');
  await using onSqlite = await startUnderstudy();
  await using onPostgres = await startUnderstudy(postgres.url);
  for (const { api } of [onSqlite, onPostgres]) await api.must('DELETE /configs/jwt-customizer/access-token');

  const send = async (origin: string, forms: Record<string, string>[]) => {
    const bodies = forms.map((form) => new URLSearchParams(form).toString());
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { perSecond } = await driver.send({
      origin,
      path: '/oidc/token',
      headers,
      bodies,
      connections: CONNECTIONS,
      status: 200,
    });
    return perSecond;
  };

  const { medians, rounds, ratio } = await playRounds(ROUNDS, {
    exchangeRaw: () => send(raw.origin, Array(RAW_REQUESTS).fill(exchange('an-application', 'sub_a-subject-token'))),
    exchangeSqlite: async () => send(onSqlite.origin, await exchanges(driver, onSqlite)),
    exchangePostgres: async () => send(onPostgres.origin, await exchanges(driver, onPostgres)),
    clientCredentialsRaw: () =>
      send(raw.origin, Array(RAW_REQUESTS).fill(clientCredentials('a-machine', 'a-secret', RESOURCE))),
    clientCredentialsSqlite: () => send(onSqlite.origin, machineRequests(onSqlite)),
    clientCredentialsPostgres: () => send(onPostgres.origin, machineRequests(onPostgres)),
  });

  return {
    ratios: {
      exchangeSqliteVsRaw: ratio('exchangeSqlite', 'exchangeRaw'),
      exchangePostgresVsRaw: ratio('exchangePostgres', 'exchangeRaw'),
      clientCredentialsSqliteVsRaw: ratio('clientCredentialsSqlite', 'clientCredentialsRaw'),
      clientCredentialsPostgresVsRaw: ratio('clientCredentialsPostgres', 'clientCredentialsRaw'),
    },
    connections: CONNECTIONS,
    perSecond: medians,
    rounds,
  };
}

const exchange = (client_id: string, subject_token: string) => ({
  grant_type: TOKEN_EXCHANGE,
  client_id,
  subject_token,
  subject_token_type: ACCESS_TOKEN,
  resource: RESOURCE,
  scope: SCOPE,
});

const clientCredentials = (client_id: string, client_secret: string, resource: string) => ({
  grant_type: 'client_credentials',
  client_id,
  client_secret,
  resource,
  scope: 'all',
});

function machineRequests({ credentials: { machine, managementApiIndicator } }: Understudy) {
  return Array(REQUESTS).fill(clientCredentials(machine.clientId, machine.clientSecret, managementApiIndicator));
}

/** A subject token is good for one exchange, so each round mints its own. */
async function exchanges(driver: LoadDriver, { origin, credentials: { demo }, api }: Understudy) {
  const { bodies } = await driver.send({
    origin,
    path: '/api/subject-tokens',
    headers: { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' },
    bodies: Array(REQUESTS).fill(JSON.stringify({ userId: demo.subject.id, context: { ticketId: 'TICKET-7' } })),
    connections: CONNECTIONS,
    status: 201,
  });
  return bodies.map((body) => exchange(demo.clientId, JSON.parse(body).subjectToken));
}
