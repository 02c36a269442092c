import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { feedOfAllDeliveries } from '../../src/webhooks/deliveries/feed.ts';
import { databases } from '../support/databases.ts';
import { PollerHarness } from './poller-harness.ts';

it.each(databases)('lists the deliveries of many webhooks without a queue for the connections on %s', async (kind) => {
  await using harness = await PollerHarness.open(kind);
  for (let hook = 0; hook < 40; hook += 1) await harness.hook('http://127.0.0.1:1');
  await harness.announce(3);
  let isDone = false;
  const reading = feedOfAllDeliveries(harness.store, { limit: 50 }).finally(() => {
    isDone = true;
  });
  let waiting = 0;
  while (!isDone) {
    waiting = Math.max(waiting, harness.database.waiting());
    await nextTurn();
  }
  expect(waiting).toBeLessThan(10); // From 512 on the service refuses the requests of all tenants.

  const first = await reading;
  expect([first.deliveries.length, first.next]).toEqual([50, expect.any(String)]);
  const second = await feedOfAllDeliveries(harness.store, { limit: 70, before: first.next ?? undefined });
  expect(second.next).toBeNull();
  const ids = [...first.deliveries, ...second.deliveries].map(({ id }) => id);
  expect(new Set(ids).size).toBe(120);
});
