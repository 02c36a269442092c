import { signIn } from '../../scripts/support/sign-in.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/oidc/urns.ts';
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

/**
 * Tokens per second, exchanged (with an actor) and by client credentials, on both databases with durable settings,
 * beside a bare Express and jose endpoint that signs the same claims. No claims script is active. Subject tokens are
 * minted, and the actor is signed in, outside the measured time.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using postgres = await startPostgres({ durable: true });
  await using raw = await spawnServer('test/bench/raw/tokens.ts');
  await using onSqlite = await startUnderstudy();
  await using onPostgres = await startUnderstudy(postgres.url);
  const [sqlite, postgresql] = [await clientOf(driver, onSqlite), await clientOf(driver, onPostgres)];

  const { medians, rounds, ratio } = await playRounds(ROUNDS, {
    exchangeRaw: async () => send(driver, raw, RAW_REQUESTS, await sqlite.exchanges(1)),
    exchangeSqlite: async () => send(driver, onSqlite, REQUESTS, await sqlite.exchanges(REQUESTS)),
    exchangePostgres: async () => send(driver, onPostgres, REQUESTS, await postgresql.exchanges(REQUESTS)),
    clientCredentialsRaw: () => send(driver, raw, RAW_REQUESTS, [sqlite.clientCredentials]),
    clientCredentialsSqlite: () => send(driver, onSqlite, REQUESTS, [sqlite.clientCredentials]),
    clientCredentialsPostgres: () => send(driver, onPostgres, REQUESTS, [postgresql.clientCredentials]),
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

/** @returns tokens per second; the forms are used in turn, over and over where there are fewer than requests */
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

/** What a client of this service sends, its actor signed in through the pages and the demonstration's script gone. */
async function clientOf(driver: LoadDriver, { origin, api, credentials }: Understudy) {
  const { machine, managementApiIndicator, demo } = credentials;
  await api.must('DELETE /configs/jwt-customizer/access-token');
  const { tokens } = await signIn({ endpoint: origin, ...demo, scope: 'openid', person: demo.actor });

  const exchange = (subject_token: string) => ({
    grant_type: TOKEN_EXCHANGE,
    client_id: demo.clientId,
    subject_token,
    subject_token_type: ACCESS_TOKEN,
    actor_token: tokens.access_token,
    actor_token_type: ACCESS_TOKEN,
    resource: demo.resource,
    scope: demo.scope,
  });

  return {
    /** A subject token is good for one exchange, so each round mints its own. */
    async exchanges(count: number) {
      const { bodies } = await driver.send({
        origin,
        path: '/api/subject-tokens',
        headers: { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' },
        bodies: Array(count).fill(JSON.stringify({ userId: demo.subject.id, context: { ticketId: 'TICKET-7' } })),
        connections: CONNECTIONS,
        status: 201,
      });
      return bodies.map((body) => exchange(JSON.parse(body).subjectToken));
    },
    clientCredentials: {
      grant_type: 'client_credentials',
      client_id: machine.clientId,
      client_secret: machine.clientSecret,
      resource: managementApiIndicator,
      scope: 'all',
    },
  };
}
