import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import '../../src/observe/expected-warnings.ts'; // Before the service, which loads the library.
import knex from 'knex';
import { readConfig } from '../../src/config/index.ts';
import { connect, type DatabaseSettings, knexConfig } from '../../src/database/connect.ts';
import { camelCase, snakeCase } from '../../src/database/drivers/names.ts';
import { migrationSource, migrations } from '../../src/database/migrations/index.ts';
import { booleanColumns, tenantTables } from '../../src/database/tables/index.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { startService } from '../../src/service/index.ts';
import { ManagementClient, postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { freePort } from '../support/free-port.ts';
import { MovableTime } from '../support/movable-time.ts';
import { startPostgres } from '../support/postgres.ts';
import type { TestService } from '../support/start-service.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { buildWorld } from '../support/world.ts';

/**
 * Records the database of a release for `upgrade.test.ts`. Run `node test/upgrade/record.ts <release>` in a checkout of
 * that release that contains this file. Writes to a folder named after the release, next to this file: the statements
 * of its migrations for each database, the rows its code wrote (the same for both), and the secrets that decrypt them.
 *
 * Two addresses are placeholders, because tests listen on free ports: `{{ENDPOINT}}` and `{{RECEIVER}}`.
 */
const SECRET_KEY = 'a2V5IG9mIGEgcmVjb3JkZWQgcmVsZWFzZSwgbm8gc2U=';
const PASSWORD_DIGEST = '$2b$04$AFFxVvFNnBNt6bOaIDe/NuZRR6yMIpBSPRPSgYYQ2Y7uoh7ViRY56'; // Hash of "correct horse".
const SERVICE_TABLES = ['serviceSettings', 'tenants', 'tenantEndpoints'];

/** Opens the database without conversions: names as in the database, values as the driver returns them. */
function rawDatabase(settings: DatabaseSettings): Knex {
  return knex({ ...knexConfig(settings), migrations: { migrationSource, tableName: 'migrations' } });
}

/** Runs the migrations and returns their statements. */
async function schemaOf(settings: DatabaseSettings): Promise<string> {
  const db = rawDatabase(settings);
  const statements: string[] = [];
  db.on('query', ({ sql }: { sql: string }) => /^(create|alter|drop) /.test(sql) && statements.push(`${sql};\n`));
  await db.migrate.latest();
  await db.destroy();
  return statements.join('');
}

/** Returns a literal that is valid in both SQLite and PostgreSQL. */
function literal(column: string, value: unknown): string {
  if (value === null) return 'null';
  if (booleanColumns.has(camelCase(column))) return value ? 'true' : 'false';
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}

async function dataOf(settings: DatabaseSettings): Promise<string> {
  const db = rawDatabase(settings);
  const inserts = migrations.map(({ name }) => `insert into migrations (name, batch) values ('${name}', 1);`);
  inserts.push('insert into migrations_lock (is_locked) values (0);');
  for (const table of [...SERVICE_TABLES, ...tenantTables].map(snakeCase)) {
    const rows: Record<string, unknown>[] = await db(table);
    if (rows.length === 0) console.log(`nothing in ${table}`);
    for (const row of rows) {
      const values = Object.entries(row).map(([column, value]) => literal(column, value));
      inserts.push(`insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')});`);
    }
  }
  await db.destroy();
  return `${inserts.join('\n')}\n`;
}

/** Uses the service, and returns what `upgrade.test.ts` uses again after the upgrade. */
async function use(service: TestService, receiver: WebhookReceiver) {
  const { url, api, databaseUrl, dataDir } = service;
  const database = connect({ databaseUrl, dataDir, poolSize: 2 });
  const world = await buildWorld(api, database, receiver.url);
  await database.close();
  const { id: hookId } = await api.must('POST /hooks', {
    name: 'Waits for its receiver',
    events: ['User.Data.Updated'],
    config: { url: receiver.url },
  });
  await api.must('POST /users', {
    username: 'imported',
    passwordDigest: PASSWORD_DIGEST,
    passwordAlgorithm: 'Bcrypt',
    customData: { note: "It's here: ö, 漢, 🙂" },
  });
  await api.must('PATCH /configs/impersonation', { requiredContextKeys: ['ticketId'], maxTokenTtl: 1800 });
  await api.must('PATCH /sign-in-exp', { signInMode: 'SignIn' });
  const suspended = await api.must('POST /users', { username: 'suspended' });
  await api.must(`PATCH /users/${suspended.id}/is-suspended`, { isSuspended: true });

  const cast = castOf(service);
  const actorToken = await cast.spa.signIn(cast.alice, 'openid profile');
  const context = { ticketId: 'TICKET-7', reason: 'Order is missing' };
  const exchange = async () => {
    const subjectToken = await cast.mint({ context });
    return (await cast.spa.exchange({ subject_token: subjectToken, actor_token: actorToken })).body.access_token;
  };
  const [exchanged, revoked] = [await exchange(), await exchange()];
  const unspent = await cast.mint({ context });
  const machineToken = await api.token();
  await postForm(`${url}/oidc/token/revocation`, { token: revoked, client_id: cast.spa.clientId });
  const { clientId, clientSecret } = service.credentials.machine;
  const asMachine = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  const token = await new ManagementClient(url, `${url}/api`, service.credentials.machine).token();
  await postForm(`${url}/oidc/token/revocation`, { token }, asMachine);
  await api.must(`PATCH /users/${cast.bob.id}/custom-data`, { customData: { plan: 'gold' } });
  const { headers, body } = await receiver.next('User.Data.Updated');
  const delivery = { id: headers['webhook-id'], body };
  return { world, hookId, tokens: { exchanged, revoked, unspent, machineToken, actorToken }, delivery };
}

const [release] = process.argv.slice(2);
if (!release) throw new Error('Which release? node test/upgrade/record.ts <release>');
const folder = join(import.meta.dirname, release);
await mkdir(folder, { recursive: true });
const dataDir = await mkdtemp(join(tmpdir(), 'understudy-record-'));
await using postgres = await startPostgres();
await writeFile(
  join(folder, 'postgres.sql'),
  await schemaOf({ databaseUrl: postgres.url, dataDir: dataDir, poolSize: 2 }),
);

await using receiver = await WebhookReceiver.start({ behaviour: status(503) });
const port = await freePort();
const config = readConfig({
  PORT: String(port),
  DATA_DIR: dataDir,
  SECRET_KEY,
  LOG_LEVEL: 'warn',
  SANDBOX_RUNNERS: '1',
  WEBHOOK_RETRY_SCHEDULE: '0,60,3600',
});
const settings: DatabaseSettings = { databaseUrl: undefined, dataDir, poolSize: 1 };
await writeFile(join(folder, 'sqlite.sql'), await schemaOf(settings));
const service = await startService(config, { logger: createLogger(config.logLevel) });
const { credentials } = service;
if (!credentials) throw new Error('The database is not empty.');
const made = await use(
  {
    ...service,
    url: config.endpoint,
    localUrl: service.url,
    dataDir,
    databaseUrl: undefined,
    credentials: credentials as TestService['credentials'],
    api: new ManagementClient(config.endpoint, config.managementApiIndicator, credentials.machine),
    time: new MovableTime(),
    stop: service.close,
    [Symbol.asyncDispose]: service.close,
  },
  receiver,
);
await service.close();

const open = (text: string) =>
  text.replaceAll(config.endpoint, '{{ENDPOINT}}').replaceAll(receiver.url, '{{RECEIVER}}');
await writeFile(join(folder, 'data.sql'), open(await dataOf(settings)));
const left = { recordedAt: Date.now(), secretKey: SECRET_KEY, credentials, ...made };
await writeFile(join(folder, 'left.json'), open(`${JSON.stringify(left, null, 2)}\n`));
await rm(dataDir, { recursive: true });
