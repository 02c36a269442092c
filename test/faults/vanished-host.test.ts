import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Killable } from '../webhooks/killable.ts';
import { MixedLoad } from './mixed-load.ts';
import { VanishingHost } from './vanishing-host.ts';

it('goes on by itself when the host of PostgreSQL is gone without a word and another has its address', async () => {
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
  await using service = await Killable.on(database, { env });
  await service.start();
  const load = await MixedLoad.at({ service, database, receiver });
  try {
    await expect.poll(() => load.done, { timeout: 30_000 }).toBeGreaterThan(50);
    const vanishedAt = new Date();
    expect(host.vanish()).toBeGreaterThan(1);
    // A connection is given up when nothing has moved on it for 25 s.
    const after = load.done;
    await expect.poll(() => load.done, { timeout: 60_000 }).toBeGreaterThan(after + 100);
    await expect.poll(() => listenersSince(postgres.url, vanishedAt), { timeout: 30_000 }).toBe(1);
  } finally {
    await load.stop();
  }
  expect(service.isDead).toBe(false);
  console.log(`${load.done} acknowledged, ${load.unavailable} answered 503, ${load.cut} cut`);
  await load.check();
});

/** Connections on which the service hears of commits. */
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
