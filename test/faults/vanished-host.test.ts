import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { MixedLoad } from './mixed-load.ts';
import { VanishingHost } from './vanishing-host.ts';

it("recovers by itself when PostgreSQL's host disappears without closing connections and is replaced", async () => {
  await using postgres = await startPostgres({ durable: true });
  await using database = await createDatabase('postgres', postgres.url);
  await using host = await VanishingHost.before(database.url ?? '');
  await using receiver = await WebhookReceiver.start();
  const env = {
    DEMO: 'true',
    RATE_LIMIT_TOKEN: '1000000',
    RATE_LIMIT_AUTHORIZATION: '1000000',
    LOG_LEVEL: 'error',
    DATABASE_URL: host.url,
  };
  await using service = await ServiceProcess.on(database, { env });
  await service.start();
  const load = await MixedLoad.start({ service, database, receiver });
  try {
    await expect.poll(() => load.done, { timeout: 30_000 }).toBeGreaterThan(50);
    const vanishedAt = new Date();
    expect(host.vanish()).toBeGreaterThan(1);
    // A connection is closed after 25 s without traffic.
    const after = load.done;
    await expect.poll(() => load.done, { timeout: 60_000 }).toBeGreaterThan(after + 100);
    await expect.poll(() => listenersSince(postgres.url, vanishedAt), { timeout: 30_000 }).toBe(1);
  } finally {
    await load.stop();
  }
  expect(service.isDead).toBe(false);
  console.log(`${load.done} acknowledged, ${load.unavailable} responses 503, ${load.cut} cut`);
  await load.check();
});

/** Returns the number of connections on which the service listens for notices. */
async function listenersSince(url: string, since: Date): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where application_name = 'understudy notices' and backend_start > $1`,
    [since],
  );
  await client.end();
  return rows.length;
}
