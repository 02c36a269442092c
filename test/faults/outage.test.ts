import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { MixedLoad } from './mixed-load.ts';

const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? 3_000);

it('responds 503 while PostgreSQL is down, recovers by itself, and loses nothing it acknowledged', async () => {
  await using postgres = await startPostgres({ durable: true });
  await using database = await createDatabase('postgres', postgres.url);
  await using receiver = await WebhookReceiver.start();
  const env = { DEMO: 'true', RATE_LIMIT_TOKEN: '1000000', RATE_LIMIT_AUTHORIZATION: '1000000', LOG_LEVEL: 'error' };
  await using service = await ServiceProcess.on(database, { env });
  await service.start();
  const load = await MixedLoad.start({ service, database, receiver });
  try {
    await expect.poll(() => load.done, { timeout: 30_000 }).toBeGreaterThan(50);
    await postgres.crash();
    const before = load.unavailable;
    await pause(OUTAGE_MS); // The length of the outage is part of the test.
    await expect.poll(() => load.unavailable).toBeGreaterThan(before + 10);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await postgres.restart();
    const after = load.done;
    await expect.poll(() => load.done, { timeout: 30_000 }).toBeGreaterThan(after + 50);
  } finally {
    await load.stop();
  }
  expect(service.isDead).toBe(false);
  console.log(`${load.done} acknowledged, ${load.unavailable} responses 503, ${load.cut} cut`);
  await load.check();
  expect((await load.signIn()).status).toBe(200);
});
