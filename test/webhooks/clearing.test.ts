import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { cancelWaiting, clearDeliveries, removeHook } from '../../src/webhooks/deliveries/clearing.ts';
import { Deliveries } from '../../src/webhooks/deliveries/deliveries.ts';
import { listDeliveries } from '../../src/webhooks/deliveries/history.ts';
import { released } from '../../src/webhooks/deliveries/settlement.ts';
import { countReplay, redeliver, startReplay } from '../../src/webhooks/replay/replay.ts';
import type { AttemptOutcome } from '../../src/webhooks/sending/deliver.ts';
import { recordFailure } from '../../src/webhooks/sending/health.ts';
import { databases } from '../support/databases.ts';
import { park } from '../support/park.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness, until } from './poller-harness.ts';

const GONE: AttemptOutcome = { startedAt: 0, durationMs: 1, error: 'status', status: 410 };
const BACKLOG = 2_500;
const BATCH = 1_000;
const URL = 'http://127.0.0.1:1';

/** A database as a process sees it that is killed after this many writes: later ones fail. */
function killedAfter(database: Database, writes: number): Database {
  let left = writes;
  const limited = (write: Database['write']) => (work: Parameters<typeof write>[0]) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : write(work);
  };
  return { ...database, write: limited(database.write), byKey: limited(database.byKey) } as Database;
}

async function statesOf(harness: PollerHarness, hookId: string): Promise<Record<string, number>> {
  const rows = await harness.store.from('deliveries').where({ hookId }).select('state');
  return Object.fromEntries([...Map.groupBy(rows, ({ state }) => state)].map(([state, rows]) => [state, rows.length]));
}

/** Returns how many deliveries the API shows in this state. */
async function shown(harness: PollerHarness, hookId: string, state: 'waiting' | 'cancelled'): Promise<number> {
  const { total, rows } = await listDeliveries(harness.store, hookId, { state, offset: 0, limit: 10 });
  expect(rows.every((row) => row.state === state && (row.dueAt === null) === (state === 'cancelled'))).toBe(true);
  return total;
}

async function disable(harness: PollerHarness, hookId: string): Promise<void> {
  await harness.store.transaction(async (store) => {
    await cancelWaiting(store, await store.update('hooks', { id: hookId }, { enabled: false }));
  });
}

const enable = (harness: PollerHarness, hookId: string) =>
  harness.store.change('hooks', { id: hookId }, { enabled: true });
const clearings = (harness: PollerHarness) => harness.store.from('clearings');

describe.each(databases)('disabling or deleting a webhook with a backlog on %s', (kind) => {
  it('updates no delivery in the transaction that disables it', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook(URL, { goneCount: 1 });
    await park(harness.database, 'default', BACKLOG, Date.now());
    expect(
      await recordFailure(harness.store, hookId, { outcome: GONE, count: 1, pausedUntil: undefined, now: Date.now() }),
    ).toContain('410');
    expect(await statesOf(harness, hookId)).toEqual({ waiting: BACKLOG });
    expect([await shown(harness, hookId, 'waiting'), await shown(harness, hookId, 'cancelled')]).toEqual([0, BACKLOG]);
    await clearDeliveries(harness.database);
    expect(await statesOf(harness, hookId)).toEqual({ cancelled: BACKLOG });
    expect(await clearings(harness)).toEqual([]);
  });

  it('removes no delivery in the transaction that deletes it, and all of them later', async () => {
    await using harness = await PollerHarness.open(kind);
    const [doomed, kept] = [await harness.hook(URL), await harness.hook(URL)];
    await park(harness.database, 'default', 2 * BACKLOG, Date.now());
    await harness.store.transaction((store) => removeHook(store, doomed));
    expect(await statesOf(harness, doomed)).toEqual({ waiting: BACKLOG });
    await clearDeliveries(harness.database);
    expect([await statesOf(harness, doomed), await statesOf(harness, kept)]).toEqual([{}, { waiting: BACKLOG }]);
    expect(await clearings(harness)).toEqual([]);
  });

  it('cancels at most 1,000 rows at a time, and continues after a kill', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook(URL);
    await park(harness.database, 'default', BACKLOG, Date.now());
    await disable(harness, hookId);
    await expect(clearDeliveries(killedAfter(harness.database, 1))).rejects.toThrow('killed');
    expect(await statesOf(harness, hookId)).toEqual({ cancelled: BATCH, waiting: BACKLOG - BATCH });
    expect(await shown(harness, hookId, 'cancelled')).toBe(BACKLOG);
    await Promise.all([clearDeliveries(harness.database), clearDeliveries(harness.database)]);
    expect(await statesOf(harness, hookId)).toEqual({ cancelled: BACKLOG });
    expect(await clearings(harness)).toEqual([]);
  });

  it('removes at most 1,000 rows at a time, and continues after a kill', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook(URL);
    await park(harness.database, 'default', BACKLOG, Date.now());
    await harness.store.transaction((store) => removeHook(store, hookId));
    await expect(clearDeliveries(killedAfter(harness.database, 1))).rejects.toThrow('killed');
    expect(await statesOf(harness, hookId)).toEqual({ waiting: BACKLOG - BATCH });
    await Promise.all([clearDeliveries(harness.database), clearDeliveries(harness.database)]);
    expect(await statesOf(harness, hookId)).toEqual({});
    expect(await clearings(harness)).toEqual([]);
  });

  it('does not send earlier deliveries after it is enabled again, but sends new ones', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    await harness.announce(20);
    await disable(harness, hookId);
    await enable(harness, hookId);
    await harness.announce(1, 'User.Created', Date.now() - 60_000); // As by a process whose clock is behind.
    await harness.poller();
    const rows = await harness.deliveries((rows) => rows.every(({ state }) => state === 'cancelled'));
    await harness.deliveries((rows) => rows.length === 20);
    expect(rows.length).toBeGreaterThanOrEqual(20);
    expect(receiver.arrivals).toHaveLength(1);
    await clearDeliveries(harness.database);
    expect(await statesOf(harness, hookId)).toEqual({ cancelled: 20 });
  });

  it('does not clear deliveries created after it is enabled again', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook(URL);
    await harness.announce(3);
    await disable(harness, hookId);
    await enable(harness, hookId);
    await harness.announce(2);
    const range = { hookId, since: 0, state: 'cancelled' as const };
    expect(await countReplay(harness.store, range)).toBe(3);
    const [old] = await harness.store.from('deliveries').where({ hookId, timesDisabled: 0 });
    await harness.store.transaction((store) =>
      redeliver(store, { hookId, deliveryId: old?.id ?? '', now: Date.now() }),
    );
    await clearDeliveries(harness.database);
    expect(await statesOf(harness, hookId)).toEqual({ cancelled: 3, waiting: 3 });
    expect(await countReplay(harness.store, range)).toBe(3);
  });

  it('does not revive cancelled deliveries by a replay', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    await harness.announce(3);
    await disable(harness, hookId);
    await enable(harness, hookId);
    const asked = { hookId, since: 0, state: 'cancelled' as const };
    await startReplay(harness.store, { ...asked, now: Date.now(), count: 3 });
    await harness.poller();
    await receiver.reach(3);
    await harness.deliveries((rows) => rows.length === 3 && rows.every(({ state }) => state === 'cancelled'));
    expect(receiver.arrivals).toHaveLength(3); // One for each, from the replay that was started afterwards.
  });

  it('does not send deliveries that were claimed before and released after', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    await harness.announce(2);
    const deliveries = new Deliveries(harness.database, 'mine');
    const room = [{ tenantId: 'default', hookId, room: 2 }];
    const claimed = await deliveries.claim(room, Date.now(), Date.now() + 60_000);
    await disable(harness, hookId);
    await clearDeliveries(harness.database);
    await enable(harness, hookId);
    await deliveries.settle(claimed.map(released));
    expect([await shown(harness, hookId, 'waiting'), await shown(harness, hookId, 'cancelled')]).toEqual([0, 2]);
    await harness.poller();
    await harness.deliveries((rows) => rows.every(({ state }) => state === 'cancelled'));
    expect(receiver.arrivals).toEqual([]);
  });

  it('does not claim deliveries of a deleted webhook', async () => {
    await using harness = await PollerHarness.open(kind);
    const [doomed, kept] = [await harness.hook(URL), await harness.hook(URL)];
    await harness.announce(2);
    await harness.store.transaction((store) => removeHook(store, doomed));
    const rooms = [doomed, kept].map((hookId) => ({ tenantId: 'default', hookId, room: 5 }));
    const taken = await new Deliveries(harness.database, 'mine').claim(rooms, Date.now(), Date.now() + 60_000);
    expect(taken.map(({ hookId }) => hookId)).toEqual([kept, kept]);
    expect(await statesOf(harness, doomed)).toEqual({ waiting: 2 });
  });

  it('removes a delivery when its event is deleted', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook(URL);
    await harness.announce(2);
    await harness.database.write((db) => db('events').delete());
    expect(await statesOf(harness, hookId)).toEqual({});
  });

  it('does not attempt deliveries that a process has already queued', async () => {
    await using harness = await PollerHarness.open(kind);
    const held: (() => void)[] = [];
    await using receiver = await WebhookReceiver.start({
      behaviour: (response) => {
        held.push(() => response.writeHead(204).end());
      },
    });
    const hookId = await harness.hook(receiver.url);
    const poller = await harness.poller();
    await harness.announce(8);
    await until(
      async () => [held.length, poller.stats().queued],
      ([started, queued]) => started === 2 && queued === 6,
    );
    await disable(harness, hookId);
    await until(
      async () => poller.stats().queued,
      (queued) => queued === 0,
    );
    for (const answer of held) answer();
    await harness.deliveries((rows) => rows.length === 6 && rows.every(({ state }) => state === 'cancelled'));
    expect(receiver.arrivals).toHaveLength(2);
  });
});
