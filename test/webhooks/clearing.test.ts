import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { cancelWaiting, clearDeliveries, removeHook } from '../../src/webhooks/deliveries/clearing.ts';
import { Deliveries } from '../../src/webhooks/deliveries/deliveries.ts';
import { listDeliveries } from '../../src/webhooks/deliveries/history.ts';
import { givenBack } from '../../src/webhooks/deliveries/settlement.ts';
import { countReplay, redeliver, startReplay } from '../../src/webhooks/replay/replay.ts';
import { recordFailure } from '../../src/webhooks/sending/health.ts';
import { databases } from '../support/databases.ts';
import { park } from '../support/park.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Stage, until } from './stage.ts';

const BACKLOG = 2_500;
const BATCH = 1_000;
const URL = 'http://127.0.0.1:1';

/** A process that is killed after so many writes: no later one arrives. */
function killedAfter(database: Database, writes: number): Database {
  let left = writes;
  const limited = (write: Database['write']) => (work: Parameters<typeof write>[0]) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : write(work);
  };
  return { ...database, write: limited(database.write), byKey: limited(database.byKey) } as Database;
}

async function statesOf(stage: Stage, hookId: string): Promise<Record<string, number>> {
  const rows = await stage.store.from('deliveries').where({ hookId }).select('state');
  return Object.fromEntries([...Map.groupBy(rows, ({ state }) => state)].map(([state, rows]) => [state, rows.length]));
}

/** How many the API shows in this state. */
async function shown(stage: Stage, hookId: string, state: 'waiting' | 'cancelled'): Promise<number> {
  const { total, rows } = await listDeliveries(stage.store, hookId, { state, offset: 0, limit: 10 });
  expect(rows.every((row) => row.state === state && (row.dueAt === null) === (state === 'cancelled'))).toBe(true);
  return total;
}

async function disable(stage: Stage, hookId: string): Promise<void> {
  await stage.store.transaction(async (store) => {
    await cancelWaiting(store, await store.update('hooks', { id: hookId }, { enabled: false }));
  });
}

const enable = (stage: Stage, hookId: string) => stage.store.change('hooks', { id: hookId }, { enabled: true });
const clearings = (stage: Stage) => stage.store.from('clearings');

describe.each(databases)('disabling or deleting a webhook with a backlog on %s', (kind) => {
  it('does not write a delivery in the transaction that disables it', async () => {
    await using stage = await Stage.open(kind);
    const hookId = await stage.hook(URL, { goneCount: 1 });
    await park(stage.database, 'default', BACKLOG, Date.now());
    const hook = { tenantId: 'default', hookId };
    expect(await recordFailure(stage.database, hook, { isGone: true, now: Date.now() })).toContain('410');
    expect(await statesOf(stage, hookId)).toEqual({ waiting: BACKLOG });
    expect([await shown(stage, hookId, 'waiting'), await shown(stage, hookId, 'cancelled')]).toEqual([0, BACKLOG]);
    await clearDeliveries(stage.database);
    expect(await statesOf(stage, hookId)).toEqual({ cancelled: BACKLOG });
    expect(await clearings(stage)).toEqual([]);
  });

  it('does not remove a delivery in the transaction that deletes it, and leaves none in the end', async () => {
    await using stage = await Stage.open(kind);
    const [doomed, kept] = [await stage.hook(URL), await stage.hook(URL)];
    await park(stage.database, 'default', 2 * BACKLOG, Date.now());
    await stage.store.transaction((store) => removeHook(store, doomed));
    expect(await statesOf(stage, doomed)).toEqual({ waiting: BACKLOG });
    await clearDeliveries(stage.database);
    expect([await statesOf(stage, doomed), await statesOf(stage, kept)]).toEqual([{}, { waiting: BACKLOG }]);
    expect(await clearings(stage)).toEqual([]);
  });

  it('does not cancel more than a thousand rows at a time, and goes on after a kill', async () => {
    await using stage = await Stage.open(kind);
    const hookId = await stage.hook(URL);
    await park(stage.database, 'default', BACKLOG, Date.now());
    await disable(stage, hookId);
    await expect(clearDeliveries(killedAfter(stage.database, 1))).rejects.toThrow('killed');
    expect(await statesOf(stage, hookId)).toEqual({ cancelled: BATCH, waiting: BACKLOG - BATCH });
    expect(await shown(stage, hookId, 'cancelled')).toBe(BACKLOG);
    await Promise.all([clearDeliveries(stage.database), clearDeliveries(stage.database)]);
    expect(await statesOf(stage, hookId)).toEqual({ cancelled: BACKLOG });
    expect(await clearings(stage)).toEqual([]);
  });

  it('does not remove more than a thousand rows at a time, and goes on after a kill', async () => {
    await using stage = await Stage.open(kind);
    const hookId = await stage.hook(URL);
    await park(stage.database, 'default', BACKLOG, Date.now());
    await stage.store.transaction((store) => removeHook(store, hookId));
    await expect(clearDeliveries(killedAfter(stage.database, 1))).rejects.toThrow('killed');
    expect(await statesOf(stage, hookId)).toEqual({ waiting: BACKLOG - BATCH });
    await Promise.all([clearDeliveries(stage.database), clearDeliveries(stage.database)]);
    expect(await statesOf(stage, hookId)).toEqual({});
    expect(await clearings(stage)).toEqual([]);
  });

  it('does not send after enabling what waited before, and sends what is new', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await stage.hook(receiver.url);
    await stage.announce(20);
    await disable(stage, hookId);
    await enable(stage, hookId);
    await stage.announce(1, 'User.Created', Date.now() - 60_000); // By the clock of a process that is behind.
    await stage.poller();
    const rows = await stage.deliveries((rows) => rows.every(({ state }) => state === 'cancelled'));
    await stage.deliveries((rows) => rows.length === 20);
    expect(rows.length).toBeGreaterThanOrEqual(20);
    expect(receiver.arrivals).toHaveLength(1);
    await clearDeliveries(stage.database);
    expect(await statesOf(stage, hookId)).toEqual({ cancelled: 20 });
  });

  it('does not clear what is made after it was enabled again', async () => {
    await using stage = await Stage.open(kind);
    const hookId = await stage.hook(URL);
    await stage.announce(3);
    await disable(stage, hookId);
    await enable(stage, hookId);
    await stage.announce(2);
    const range = { hookId, since: 0, state: 'cancelled' as const };
    expect(await countReplay(stage.store, range)).toBe(3);
    const [old] = await stage.store.from('deliveries').where({ hookId, timesDisabled: 0 });
    await stage.store.transaction((store) => redeliver(store, { hookId, deliveryId: old?.id ?? '', now: Date.now() }));
    await clearDeliveries(stage.database);
    expect(await statesOf(stage, hookId)).toEqual({ cancelled: 3, waiting: 3 });
    expect(await countReplay(stage.store, range)).toBe(3);
  });

  it('does not let a replay bring back what it cancelled', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await stage.hook(receiver.url);
    await stage.announce(3);
    await disable(stage, hookId);
    await enable(stage, hookId);
    const asked = { hookId, since: 0, state: 'cancelled' as const };
    await startReplay(stage.store, { ...asked, now: Date.now(), count: 3 });
    await stage.poller();
    await receiver.reach(3);
    await stage.deliveries((rows) => rows.length === 3 && rows.every(({ state }) => state === 'cancelled'));
    expect(receiver.arrivals).toHaveLength(3); // One for each: sent by the replay, which was asked for afterwards.
  });

  it('does not send what was under way and failed, nor what was given back', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await stage.hook(receiver.url);
    await stage.announce(2);
    const deliveries = new Deliveries(stage.database, 'mine');
    const room = [{ tenantId: 'default', hookId, room: 2 }];
    const claimed = await deliveries.claim(room, Date.now(), Date.now() + 60_000);
    await disable(stage, hookId);
    await clearDeliveries(stage.database);
    await enable(stage, hookId);
    await deliveries.settle(claimed.map(givenBack));
    expect([await shown(stage, hookId, 'waiting'), await shown(stage, hookId, 'cancelled')]).toEqual([0, 2]);
    await stage.poller();
    await stage.deliveries((rows) => rows.every(({ state }) => state === 'cancelled'));
    expect(receiver.arrivals).toEqual([]);
  });

  it('does not take deliveries of a webhook that is gone', async () => {
    await using stage = await Stage.open(kind);
    const [doomed, kept] = [await stage.hook(URL), await stage.hook(URL)];
    await stage.announce(2);
    await stage.store.transaction((store) => removeHook(store, doomed));
    const rooms = [doomed, kept].map((hookId) => ({ tenantId: 'default', hookId, room: 5 }));
    const taken = await new Deliveries(stage.database, 'mine').claim(rooms, Date.now(), Date.now() + 60_000);
    expect(taken.map(({ hookId }) => hookId)).toEqual([kept, kept]);
    expect(await statesOf(stage, doomed)).toEqual({ waiting: 2 });
  });

  it('does not leave a delivery behind when its event goes', async () => {
    await using stage = await Stage.open(kind);
    const hookId = await stage.hook(URL);
    await stage.announce(2);
    await stage.database.write((db) => db('events').delete());
    expect(await statesOf(stage, hookId)).toEqual({});
  });

  it('does not start an attempt of what a process had queued already', async () => {
    await using stage = await Stage.open(kind);
    const held: (() => void)[] = [];
    await using receiver = await WebhookReceiver.start({
      behaviour: (response) => {
        held.push(() => response.writeHead(204).end());
      },
    });
    const hookId = await stage.hook(receiver.url);
    const poller = await stage.poller();
    await stage.announce(8);
    await until(
      async () => [held.length, poller.stats().queued],
      ([started, queued]) => started === 2 && queued === 6,
    );
    await disable(stage, hookId);
    await until(
      async () => poller.stats().queued,
      (queued) => queued === 0,
    );
    for (const answer of held) answer();
    await stage.deliveries((rows) => rows.length === 6 && rows.every(({ state }) => state === 'cancelled'));
    expect(receiver.arrivals).toHaveLength(2);
  });
});
