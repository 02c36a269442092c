import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/errors.ts';
import { executionStats, getDelivery, listDeliveries, recentLogs } from '../../src/webhooks/deliveries/history.ts';
import { cancelReplay, countReplay, redeliver, replayStatus, startReplay } from '../../src/webhooks/replay/replay.ts';
import { databases } from '../support/databases.ts';
import { inTurn, status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness, until } from './poller-harness.ts';

const none = (rows: unknown[]) => rows.length === 0;
const all = { offset: 0, limit: 100 };
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: ServiceError) => error.code,
  );

describe.each(databases)('the delivery history on %s', (kind) => {
  it('lists each attempt as a log, newest first', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({
      behaviour: inTurn(status(500, {}, '{"why":"broken"}'), status(200, {}, 'fine')),
    });
    const hookId = await harness.hook(receiver.url, { events: ['User.Created', 'User.Deleted'] });
    await harness.poller();
    await harness.announce();
    await harness.deliveries(none);
    await harness.announce(1, 'User.Deleted');
    await receiver.next('User.Deleted');
    await harness.deliveries(none);

    const now = Date.now();
    const { rows, total } = await recentLogs(harness.store, hookId, { now, ...all });
    expect(total).toBe(3);
    expect(rows.map(({ key, payload }) => [key, payload.result])).toEqual([
      ['TriggerHook.User.Deleted', 'Success'],
      ['TriggerHook.User.Created', 'Success'],
      ['TriggerHook.User.Created', 'Error'],
    ]);
    expect(rows[2]).toMatchObject({
      payload: {
        key: 'TriggerHook.User.Created',
        hookId,
        hookRequest: { body: { event: 'User.Created', data: { n: 0 }, hookId } },
        response: { statusCode: 500, body: { why: 'broken' } },
        error: expect.any(String),
      },
    });
    expect(rows[0]?.payload.response).toEqual({ statusCode: 200, body: 'fine' });

    const filtered = { logKey: 'TriggerHook.User.Created', now, offset: 1, limit: 1 };
    expect(await recentLogs(harness.store, hookId, filtered)).toMatchObject({ total: 2, rows: [{ id: rows[2]?.id }] });
    expect(await recentLogs(harness.store, hookId, { startTime: now + 1, now, ...all })).toEqual({
      rows: [],
      total: 0,
    });
    expect(await recentLogs(harness.store, hookId, { now: now + 25 * 3_600_000, ...all })).toMatchObject({ total: 0 });

    const stats = await executionStats(harness.store, [hookId, 'unknown'], now);
    expect(stats.get(hookId)).toEqual({ successCount: 2, requestCount: 3 });
    expect(stats.get('unknown')).toEqual({ successCount: 0, requestCount: 0 });
  });

  it('lists deliveries by state, event and time, and returns one with its attempts', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: inTurn(status(200), status(410)) });
    const hookId = await harness.hook(receiver.url);
    await harness.poller();
    await harness.announce();
    await harness.deliveries(none);
    await harness.announce();
    await harness.deliveries(([row]) => row?.state === 'dead');

    const list = await listDeliveries(harness.store, hookId, all);
    expect(list).toMatchObject({
      total: 2,
      rows: [
        { state: 'dead', lastStatus: 410 },
        { state: 'delivered', attempts: 1, lastStatus: 200 },
      ],
    });
    const [dead, delivered] = list.rows;
    expect(await listDeliveries(harness.store, hookId, { state: 'dead', ...all })).toEqual({ total: 1, rows: [dead] });
    expect(await listDeliveries(harness.store, hookId, { state: 'delivered', ...all })).toEqual({
      total: 1,
      rows: [delivered],
    });
    expect(await listDeliveries(harness.store, hookId, { event: 'User.Deleted', ...all })).toEqual({
      total: 0,
      rows: [],
    });
    expect(await listDeliveries(harness.store, hookId, { since: Date.now() + 1, ...all })).toMatchObject({ total: 0 });
    expect(await listDeliveries(harness.store, hookId, { offset: 1, limit: 1 })).toEqual({
      total: 2,
      rows: [delivered],
    });

    for (const { id, state } of list.rows) {
      const found = await getDelivery(harness.store, { hookId, deliveryId: id });
      expect(found).toMatchObject({ id, state, attemptLog: [{ deliveryId: id, number: 1 }] });
    }
    expect(await codeOf(getDelivery(harness.store, { hookId, deliveryId: 'unknown' }))).toBe(
      'entity.not_exists_with_id',
    );
  });
});

describe.each(databases)('redelivery and replay on %s', (kind) => {
  it('create a new delivery of the same event at each call, whether it was delivered or failed', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: inTurn(status(410), status(200)) });
    const hookId = await harness.hook(receiver.url);
    await harness.poller();
    await harness.announce();
    const first = await receiver.next();
    const [dead] = await harness.deliveries(([row]) => row?.state === 'dead');
    const deliveryId = dead?.id ?? '';
    const again = () => harness.store.transaction((store) => redeliver(store, { hookId, deliveryId, now: Date.now() }));
    const made = [await again(), await again()];
    expect(made).toEqual([
      { id: expect.any(String), count: 1 },
      { id: expect.any(String), count: 1 },
    ]);
    expect(made[0]?.id).not.toBe(made[1]?.id);
    for (const _ of made) {
      const { body, headers } = await receiver.next();
      expect([body, headers['webhook-id']]).toEqual([first.body, first.headers['webhook-id']]);
    }
    await harness.deliveries((rows) => rows.length === 1);
    const attempts = await harness.store.from('attempts').where({ trigger: 'manual' });
    expect(attempts).toHaveLength(2);
    const third = await redeliver(harness.store, { hookId, deliveryId: made[0]?.id ?? '', now: Date.now() });
    expect(third.count).toBe(1); // Its row is deleted, but its attempts contain the event id.
    expect(await codeOf(redeliver(harness.store, { hookId, deliveryId: 'unknown', now: 0 }))).toBe(
      'entity.not_exists_with_id',
    );
  });

  it('replay a time range in the background, including events older than the webhook', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    await harness.announce(150, 'User.Created', 1000);
    await harness.announce(1, 'User.Created', 5000);
    await harness.announce(1, 'User.Deleted', 1000);
    const hookId = await harness.hook(receiver.url);
    await harness.poller();

    const range = { hookId, since: 1000, until: 2000 };
    const count = await countReplay(harness.store, range);
    expect(count).toBe(150);
    expect(receiver.arrivals).toEqual([]);
    const { id } = await startReplay(harness.store, { ...range, count, now: Date.now() });
    await receiver.reach(150);
    await harness.deliveries(none);
    const look = () => replayStatus(harness.store, { hookId, replayId: id });
    expect(await until(look, ({ state }) => state === 'done')).toEqual({ id, count: 150, done: 150, state: 'done' });
    expect(new Set(receiver.arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(150);
    expect(await harness.store.from('attempts').where({ trigger: 'replay' })).toHaveLength(150);
  });

  it('select events by state and by type', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: inTurn(status(410), status(200)) });
    const hookId = await harness.hook(receiver.url, { events: ['User.Created', 'User.Deleted'] });
    await harness.poller();
    await harness.announce();
    await harness.deliveries(([row]) => row?.state === 'dead');
    await harness.announce(1, 'User.Deleted');
    await receiver.reach(2);
    await harness.deliveries((rows) => rows.length === 1);
    const count = (filter: object) => countReplay(harness.store, { hookId, since: 0, ...filter });
    expect(await count({})).toBe(2);
    expect(await count({ state: 'dead' })).toBe(1);
    expect(await count({ state: 'delivered' })).toBe(1);
    expect(await count({ state: 'waiting' })).toBe(0);
    expect(await count({ events: ['User.Deleted'] })).toBe(1);
    expect(await count({ events: ['User.Deleted'], state: 'dead' })).toBe(0);
    expect(await count({ until: 1 })).toBe(0);
  });

  it('run the replays of a webhook one after another', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    await harness.announce(250, 'User.Created', 1000);
    const hookId = await harness.hook(receiver.url);
    const asked = { hookId, since: 1000, until: 2000, count: 250 };
    const first = await startReplay(harness.store, { ...asked, now: 3000 });
    const second = await startReplay(harness.store, { ...asked, now: 3001 });
    await harness.poller();
    const statusOf = ({ id }: { id: string }) => replayStatus(harness.store, { hookId, replayId: id });
    const look = async () => {
      const later = await statusOf(second); // Read before the first one, which can only be ahead of it.
      const earlier = await statusOf(first);
      if (later.done > 0) expect(earlier.state).toBe('done');
      return later;
    };
    await until(look, ({ state }) => state === 'done');
    await receiver.reach(500);
  });

  it('stop when cancelled', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    await harness.announce(3, 'User.Deleted', 1000);
    const asked = { hookId, since: 0, events: ['User.Deleted'], count: 3, now: Date.now() };
    const { id } = await startReplay(harness.store, asked);
    await cancelReplay(harness.store, { hookId, replayId: id });
    await harness.poller();
    await harness.announce();
    await receiver.next('User.Created');
    await until(
      async () => (await harness.store.from('attempts')).length,
      (count) => count === 1,
    );
    expect(await replayStatus(harness.store, { hookId, replayId: id })).toEqual({
      id,
      count: 3,
      done: 0,
      state: 'cancelled',
    });
    expect(await codeOf(cancelReplay(harness.store, { hookId, replayId: 'unknown' }))).toBe('entity.not_found');
    expect(await codeOf(replayStatus(harness.store, { hookId, replayId: 'unknown' }))).toBe(
      'entity.not_exists_with_id',
    );
  });
});
