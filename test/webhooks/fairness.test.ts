import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { type Behaviour, hang, slow, status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness } from './poller-harness.ts';

const HEALTHY = 48;
const EVENTS = 30;

/** No attempt ends by its timeout during a test, so a delivery that waited for one would never arrive. */
const ENDLESS = { timeoutMs: 600_000, leaseMs: 1_200_000 };

describe.each(databases)('a failing and a hanging endpoint on %s', (kind) => {
  it('do not hold up other webhooks', async () => {
    await using harness = await PollerHarness.open(kind);
    await using healthy = await WebhookReceiver.start({ behaviour: status(204) });
    await using hanging = await WebhookReceiver.start({ behaviour: hang });
    await harness.hook('http://127.0.0.1:1/dead');
    await harness.hook(hanging.url);
    for (let count = 0; count < HEALTHY; count += 1) await harness.hook(healthy.url);
    await harness.poller({ ...ENDLESS, retryScheduleSeconds: Array(200).fill(0) });
    await harness.announce();
    await hanging.reach(1);
    for (let event = 1; event < EVENTS; event += 1) await harness.announce();
    await healthy.reach(HEALTHY * EVENTS);
    expect(hanging.arrivals.length).toBeLessThanOrEqual(8);
  });
});

const HOOKS = 30;

describe.each(databases)('slow webhooks with long queues on %s', (kind) => {
  it('do not delay a fast one', async () => {
    await using harness = await PollerHarness.open(kind);
    const crawl: Behaviour = (response, arrival, count) => (count > HOOKS ? hang : slow(300))(response, arrival, count);
    await using crawling = await WebhookReceiver.start({ behaviour: crawl });
    await using quick = await WebhookReceiver.start();
    for (let count = 0; count < HOOKS; count += 1) await harness.hook(crawling.url);
    await harness.hook(quick.url, { events: ['User.Deleted'] });
    await harness.announce(30);
    await harness.poller(ENDLESS);
    await crawling.reach(4 * HOOKS); // Each has responded once and its room has grown.
    for (let event = 0; event < 3; event += 1) {
      await harness.announce(1, 'User.Deleted');
      await quick.next(); // None of the slow ones responds again.
    }
  });
});
