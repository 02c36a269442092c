import { expect, it } from 'vitest';
import { createMigrated, databases } from '../support/databases.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { MixedLoad } from './mixed-load.ts';

const KILLS = Number(process.env.KILLS ?? 2);
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);

it.each(databases)(
  'loses nothing it acknowledged under mixed load when it is killed repeatedly (%s)',
  async (kind) => {
    console.log(`KILL_SEED=${SEED} KILLS=${KILLS}`);
    const random = seededRandom(SEED);
    await using database = await createMigrated(kind);
    await using receiver = await WebhookReceiver.start();
    await using service = await ServiceProcess.on(database, {
      env: { DEMO: 'true', RATE_LIMIT_TOKEN: '1000000', RATE_LIMIT_AUTHORIZATION: '1000000' },
    });
    await service.start();
    const load = await MixedLoad.start({ service, database, receiver });
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const enough = load.done + 10 + random(60);
        await expect.poll(() => load.done, { timeout: 30_000, interval: 1 }).toBeGreaterThanOrEqual(enough);
        await service.kill();
        await service.start();
      }
      const enough = load.done + 20;
      await expect.poll(() => load.done, { timeout: 30_000 }).toBeGreaterThanOrEqual(enough);
    } finally {
      await load.stop();
    }
    console.log(`${load.done} acknowledged, ${load.cut} cut, ${load.unavailable} refused`);
    await load.check();
    expect((await load.signIn()).status).toBe(200);
  },
  60_000 + KILLS * 20_000,
);
