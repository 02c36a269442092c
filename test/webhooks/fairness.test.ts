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
import { PollerHarness } from './poller-harness.ts';

const HEALTHY = 48;
const EVENTS = 30;
const INTERVAL_MS = 40;

/** Measures milliseconds from event to arrival, for every healthy webhook and event. */
async function latencies(harness: PollerHarness, healthy: Receiver): Promise<number[]> {
  const before = healthy.arrivals.length;
  for (let event = 0; event < EVENTS; event += 1) {
    await harness.announce();
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
  const arrivals = await healthy.reach(before + HEALTHY * EVENTS, 20_000);
  return arrivals.slice(before).map(({ at, body }) => at - Date.parse(JSON.parse(body).createdAt));
}

const p95 = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

describe.each(databases)('a failing and a hanging endpoint on %s', (kind) => {
  it('do not slow down other webhooks', async () => {
    await using harness = await PollerHarness.open(kind);
    await using healthy = await WebhookReceiver.start({ behaviour: status(204) });
    await using hanging = await WebhookReceiver.start({ behaviour: hang });
    for (let count = 0; count < HEALTHY; count += 1) await harness.hook(healthy.url);
    await harness.poller({ timeoutMs: 5000, leaseMs: 20_000, retryScheduleSeconds: [0, 5, 60] });
    const bad = [await harness.hook('http://127.0.0.1:1/dead'), await harness.hook(hanging.url)];
    const runWith = async (enabled: boolean) => {
      for (const id of bad) await harness.store.change('hooks', { id }, { enabled });
      return p95(await latencies(harness, healthy));
    };
    await runWith(false); // Warms up.
    expect(await runWith(true)).toBeLessThan(4500); // The breakers do not know either endpoint yet.
    // Each pair runs without and with the bad webhooks, so that other load on the machine affects both runs or only one
    // pair.
    const slowdowns = [];
    for (let pair = 0; pair < 3; pair += 1) {
      const calm = await runWith(false);
      slowdowns.push((await runWith(true)) / (calm + 5)); // 5 ms is the tolerance of a timer.
    }
    expect(Math.min(...slowdowns)).toBeLessThan(2);
    expect(hanging.arrivals.length).toBeLessThanOrEqual(8);
  }, 120_000);
});

const HOOKS = 30;

describe.each(databases)('slow webhooks with long queues on %s', (kind) => {
  it('do not delay a fast one', async () => {
    await using harness = await PollerHarness.open(kind);
    const crawl: Behaviour = (response, arrival, count) => slow(count > HOOKS ? 20_000 : 300)(response, arrival, count);
    await using crawling = await WebhookReceiver.start({ behaviour: crawl });
    await using quick = await WebhookReceiver.start();
    for (let count = 0; count < HOOKS; count += 1) await harness.hook(crawling.url);
    await harness.hook(quick.url, { events: ['User.Deleted'] });
    await harness.announce(30);
    await harness.poller({ timeoutMs: 30_000, leaseMs: 60_000 });
    await crawling.reach(4 * HOOKS); // Each has responded once and its room has grown.
    for (let event = 0; event < 3; event += 1) {
      const announcedAt = Date.now();
      await harness.announce(1, 'User.Deleted');
      expect((await quick.next()).at - announcedAt).toBeLessThan(5000); // Before any of them responds.
    }
  });
});
