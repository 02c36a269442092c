import { describe, expect, it } from 'vitest';
import { readBacklog } from '../../src/webhooks/deliveries/backlog.ts';
import { Deliveries } from '../../src/webhooks/deliveries/deliveries.ts';
import { sweepWebhooks } from '../../src/webhooks/deliveries/retention.ts';
import { cancelled } from '../../src/webhooks/deliveries/settlement.ts';
import { databases } from '../support/databases.ts';
import { hang, slow, status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness, until } from './poller-harness.ts';

const none = (rows: unknown[]) => rows.length === 0;
const room = (hookId: string, room: number) => [{ tenantId: 'default', hookId, room }];

describe.each(databases)('claiming on %s', (kind) => {
  it('claims the rows due longest, up to the room, and no row twice', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook('http://127.0.0.1:1');
    for (const at of [3, 1, 2]) await harness.announce(1, 'User.Created', at);
    const [mine, other] = [new Deliveries(harness.database, 'mine'), new Deliveries(harness.database, 'other')];
    expect(await mine.dueHooks(10)).toEqual([{ tenantId: 'default', hookId }]);
    expect(await mine.dueHooks(10, 'default')).toHaveLength(1);
    expect(await mine.dueHooks(10, 'elsewhere')).toEqual([]);
    expect(await mine.dueHooks(0)).toEqual([]);
    const taken = await mine.claim(room(hookId, 2), 10, 20);
    expect(taken.map(({ createdAt }) => createdAt).sort()).toEqual([1, 2]);
    const hook = { id: hookId, enabled: true, oldSigningKeys: [], config: { url: 'http://127.0.0.1:1' }, goneCount: 0 };
    const fresh = { eventType: 'User.Created', attempts: 0, wasLeased: false };
    expect(taken[0]).toMatchObject({ hookId, hook, leaseUntil: 20, ...fresh });
    expect(taken[0]?.hook).toBe(taken[1]?.hook);
    expect(await other.claim(room(hookId, 5), 10, 20)).toMatchObject([{ createdAt: 3 }]);
  });

  it('finds every webhook with due rows', async () => {
    await using harness = await PollerHarness.open(kind);
    const hooks = [];
    for (let count = 0; count < 5; count += 1) hooks.push(await harness.hook('http://127.0.0.1:1'));
    await harness.announce(3);
    const due = await new Deliveries(harness.database, 'mine').dueHooks(Date.now());
    expect(due.map(({ hookId }) => hookId).sort()).toEqual(hooks.sort());
  });

  it('does not let an owner settle after its lease was taken over', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook('http://127.0.0.1:1');
    await harness.announce();
    const [late, current] = [new Deliveries(harness.database, 'late'), new Deliveries(harness.database, 'current')];
    const [row] = await late.claim(room(hookId, 1), Date.now(), 0);
    expect(await current.claim(room(hookId, 1), Date.now(), Date.now() + 1000)).toMatchObject([{ wasLeased: true }]);
    if (row) await late.settle([cancelled(row)]);
    expect(await harness.store.from('deliveries')).toMatchObject([{ state: 'delivering', leaseOwner: 'current' }]);
  });

  it('settles even while another transaction locks the webhook', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook('http://127.0.0.1:1');
    await harness.announce();
    const deliveries = new Deliveries(harness.database, 'mine');
    const [row] = await deliveries.claim(room(hookId, 1), Date.now(), Date.now() + 1000);
    let settled: Promise<void> | undefined;
    await harness.store.transaction(async (store) => {
      await store.from('hooks').where({ id: hookId }).forUpdate();
      if (row) settled = deliveries.settle([cancelled(row)]);
      if (kind === 'postgres') await settled; // On SQLite it waits for its turn to write.
    });
    await settled;
    expect(await harness.store.from('deliveries')).toMatchObject([{ state: 'cancelled' }]);
  });
});

describe.each(databases)('a process on %s', (kind) => {
  it('delivers rows that a killed process had claimed', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    await harness.announce();
    await new Deliveries(harness.database, 'killed').claim(room(hookId, 1), Date.now(), Date.now() + 500);
    await harness.poller();
    await receiver.next();
    await harness.deliveries(none);
  });

  it('finishes attempts in flight when stopped, and releases the other rows without an attempt', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: slow(200) });
    await harness.hook(receiver.url);
    const poller = await harness.poller();
    await harness.announce(10);
    await receiver.reach(1);
    await poller.stop();
    const started = receiver.arrivals.length;
    const left = await harness.store.from('deliveries');
    expect(left).toHaveLength(10 - started);
    expect(left.every(({ state, attempts, leaseOwner }) => state === 'waiting' && attempts === 0 && !leaseOwner)).toBe(
      true,
    );
    expect(await harness.store.from('attempts')).toHaveLength(started);
    expect(started).toBeLessThan(10);
  });

  it('refuses to start its poller twice', async () => {
    await using harness = await PollerHarness.open(kind);
    const poller = await harness.poller();
    await expect(poller.start()).rejects.toThrow(/^webhook poller: .* → starting is not a transition$/);
    await poller.stop();
    await expect(poller.start()).rejects.toThrow('webhook poller: stopped → starting is not a transition');
  });

  it('can be stopped while it starts', async () => {
    await using harness = await PollerHarness.open(kind);
    const poller = harness.newPoller();
    const starting = poller.start();
    await poller.stop();
    await starting;
    await expect(poller.start()).rejects.toThrow('webhook poller: stopped → starting is not a transition');
  });

  it('drains a backlog completely, each event once', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    for (let count = 0; count < 10; count += 1) await harness.hook(receiver.url);
    for (let batch = 0; batch < 10; batch += 1) await harness.announce(100);
    await harness.poller({ timeoutMs: 15_000, leaseMs: 30_000 });
    await receiver.reach(10_000, 60_000);
    await harness.deliveries(none);
    const received = new Set(
      receiver.arrivals.map(({ headers, body }) => `${headers['webhook-id']} ${JSON.parse(body).hookId}`),
    );
    expect([received.size, receiver.arrivals.length]).toEqual([10_000, 10_000]);
    const [row] = await harness.store.from('attempts').count({ count: '*' });
    expect(Number(row?.count)).toBe(10_000);
  }, 90_000);

  it('uses up no attempts of deliveries that wait while the breaker is open', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: hang });
    await harness.hook(receiver.url);
    await harness.poller({ timeoutMs: 200, retryScheduleSeconds: [0, 60, 60] });
    await harness.announce(20);
    const rows = await harness.deliveries((rows) => rows.filter(({ attempts }) => attempts > 0).length >= 2);
    expect(rows.filter(({ attempts }) => attempts > 0)).toHaveLength(2); // The initial room of a webhook.
    await harness.deliveries((rows) => rows.every(({ state }) => state === 'waiting'));
    expect(receiver.arrivals).toHaveLength(2);
  });

  it('reports its backlog', async () => {
    await using harness = await PollerHarness.open(kind);
    await harness.hook('http://127.0.0.1:1');
    expect(await readBacklog(harness.database, 10)).toEqual({ due: 0, oldestDueAt: undefined, dead: 0 });
    for (const at of [5, 7, 20]) await harness.announce(1, 'User.Created', at);
    expect(await readBacklog(harness.database, 10)).toEqual({ due: 2, oldestDueAt: 5, dead: 0 });
  });

  it('deletes data after 30 days, except events that still have a delivery', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(410) });
    await harness.hook(receiver.url);
    await harness.poller();
    await harness.announce();
    await harness.deliveries(([row]) => row?.state === 'dead');
    await harness.announce(1, 'User.Deleted');
    const counts = async () => {
      const tables = ['events', 'deliveries', 'attempts'] as const;
      return Promise.all(tables.map(async (table) => (await harness.store.from(table)).length));
    };
    const DAY = 24 * 3_600_000;
    await sweepWebhooks(harness.database, Date.now() + 29 * DAY);
    expect(await until(counts, () => true)).toEqual([2, 1, 1]);
    await harness.store.changeWhere('deliveries', () => undefined, { state: 'waiting', dueAt: Date.now() + 99 * DAY });
    await sweepWebhooks(harness.database, Date.now() + 31 * DAY);
    expect(await counts()).toEqual([1, 1, 0]);
    await harness.store.changeWhere('deliveries', () => undefined, { state: 'dead', dueAt: null });
    await sweepWebhooks(harness.database, Date.now() + 31 * DAY);
    expect(await counts()).toEqual([0, 0, 0]);
  });
});
