import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import {
  type Behaviour,
  hang,
  type WebhookReceiver as Receiver,
  slow,
  status,
  WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { Stage } from './stage.ts';

const HEALTHY = 48;
const EVENTS = 30;
const INTERVAL_MS = 40;

/** Milliseconds from announcement to arrival, for every healthy hook and event. */
async function latencies(stage: Stage, healthy: Receiver): Promise<number[]> {
  const before = healthy.arrivals.length;
  for (let event = 0; event < EVENTS; event += 1) {
    await stage.announce();
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
  const arrivals = await healthy.reach(before + HEALTHY * EVENTS, 20_000);
  return arrivals.slice(before).map(({ at, body }) => at - Date.parse(JSON.parse(body).createdAt));
}

const p95 = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

describe.each(databases)('a dead and a hanging hook on %s', (kind) => {
  it('slow nobody else down', async () => {
    await using stage = await Stage.open(kind);
    await using healthy = await WebhookReceiver.start({ behaviour: status(204) });
    await using hanging = await WebhookReceiver.start({ behaviour: hang });
    for (let count = 0; count < HEALTHY; count += 1) await stage.hook(healthy.url);
    await stage.poller({ timeoutMs: 5000, leaseMs: 20_000, retryScheduleSeconds: [0, 5, 60] });
    const bad = [await stage.hook('http://127.0.0.1:1/dead'), await stage.hook(hanging.url)];
    const runWith = async (enabled: boolean) => {
      for (const id of bad) await stage.store.change('hooks', { id }, { enabled });
      return p95(await latencies(stage, healthy));
    };
    await runWith(false); // Warm.
    expect(await runWith(true)).toBeLessThan(4500); // Both are unknown yet.
    // Calm and disturbed side by side, so that a machine that is busy meanwhile spoils both runs of a pair, or one pair.
    const slowdowns = [];
    for (let pair = 0; pair < 3; pair += 1) {
      const calm = await runWith(false);
      slowdowns.push((await runWith(true)) / (calm + 5)); // 5 ms: what a timer may be late.
    }
    expect(Math.min(...slowdowns)).toBeLessThan(2);
    expect(hanging.arrivals.length).toBeLessThanOrEqual(8);
  }, 120_000);
});

const HOOKS = 30;

describe.each(databases)('slow hooks with long queues on %s', (kind) => {
  it('do not keep a quick one waiting', async () => {
    await using stage = await Stage.open(kind);
    const crawl: Behaviour = (response, arrival, count) => slow(count > HOOKS ? 20_000 : 300)(response, arrival, count);
    await using crawling = await WebhookReceiver.start({ behaviour: crawl });
    await using quick = await WebhookReceiver.start();
    for (let count = 0; count < HOOKS; count += 1) await stage.hook(crawling.url);
    await stage.hook(quick.url, { events: ['User.Deleted'] });
    await stage.announce(30);
    await stage.poller({ timeoutMs: 30_000, leaseMs: 60_000 });
    await crawling.reach(4 * HOOKS); // Each has answered once and was trusted with more.
    for (let event = 0; event < 3; event += 1) {
      const announcedAt = Date.now();
      await stage.announce(1, 'User.Deleted');
      expect((await quick.next()).at - announcedAt).toBeLessThan(5000); // Before any of them answers.
    }
  });
});
